// Regions a page at a time: the largest, and one circle for all that are smaller.
import type { Region, RegionMap } from "./api";

export const MOST_REGIONS = 30; // circles whose names can still be read on a small screen
export const OTHERS = -1; // stands for the smaller ones; a node's id is never negative

const NAME = 20; // letters of a name beside its circle

/** What stands beside a region's circle. */
export function titled({ name, size }: Region): string {
  const short = name.length > NAME ? `${name.slice(0, NAME - 1).trimEnd()}…` : name;
  return `${short} (${size.toLocaleString("en")})`;
}

/** The regions of a page, the largest on the first; what is smaller stands as one. */
export function pageOf(map: RegionMap, page: number): RegionMap {
  const start = startOf(map, page);
  const left = map.regions.slice(start);
  if (start === 0 && left.length <= MOST_REGIONS) return map;
  const cut = left.length <= MOST_REGIONS ? left.length : MOST_REGIONS - 1;
  const [own, rest] = [left.slice(0, cut), left.slice(cut)];
  const regions = [...own];
  if (rest.length > 0) {
    const size = rest.reduce((all, one) => all + one.size, 0);
    regions.push({ id: OTHERS, name: `${rest.length.toLocaleString("en")} smaller regions`, leaders: [], size });
  }
  // Of the smaller ones no links: all are tied to something, and a star would say nothing.
  const shown = new Set(own.map(({ id }) => id));
  return { regions, links: map.links.filter(({ a, b }) => shown.has(a) && shown.has(b)) };
}

/** Where a page begins: the last that there is where fewer are left than were asked for. */
function startOf(map: RegionMap, page: number): number {
  const last = Math.max(0, Math.ceil((map.regions.length - 1) / (MOST_REGIONS - 1)) - 1);
  return Math.min(page, last) * (MOST_REGIONS - 1);
}
