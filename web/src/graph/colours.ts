// Colours of the graph. Sigma's programs take no hsl() and draw alpha badly, so a fading colour is
// one that is mixed with the ground.
export const DARK = matchMedia("(prefers-color-scheme: dark)");
export const STILL = matchMedia("(prefers-reduced-motion: reduce)");

const GOLDEN = 137.508;
const HUES: Record<string, number> = { episode: 38, entity: 205, fact: 262, note: 150, theme: 320 };

export interface Palette {
  ground: [number, number, number];
  ink: string; quiet: string; plate: string; block: string; line: string;
  lit: string; step: string; fresh: string; changed: string; gone: string;
}

const LIGHT_ONE: Palette = {
  ground: [250, 250, 252], ink: "#22242c", quiet: "#5b5f6e", plate: "#ffffff", block: "#f3f3f8",
  line: "#d9dbe4", lit: "#d97706", step: "#c2410c", fresh: "#1d7a46", changed: "#5b4bd6", gone: "#b3261e",
};
const DARK_ONE: Palette = {
  ground: [20, 21, 27], ink: "#e2e4ec", quiet: "#a2a6b6", plate: "#1d1f27", block: "#191b22",
  line: "#363946", lit: "#fbbf24", step: "#fb923c", fresh: "#6fd39b", changed: "#a89bff", gone: "#ff8a80",
};

export function palette(): Palette {
  return DARK.matches ? DARK_ONE : LIGHT_ONE;
}

/** A node's colour: of its region, else of its kind; `strength` in [0, 1] fades it. */
export function shade(region: number, kind: string, strength: number): string {
  const hue = region ? angle(region) : (HUES[kind] ?? 220);
  return tint(hue, region ? 58 : 35, strength);
}

/** A hue of its own for each number, far from those of its neighbours. */
export function angle(number: number): number {
  return (number * GOLDEN) % 360;
}

export function tint(hue: number, saturation: number, strength: number): string {
  const pure = rgb(hue, saturation / 100, (DARK.matches ? 64 : 46) / 100);
  const { ground } = palette();
  const mixed = pure.map((value, n) => Math.round(value * strength + ground[n]! * (1 - strength)));
  return `#${mixed.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

function rgb(hue: number, saturation: number, light: number): number[] {
  const a = saturation * Math.min(light, 1 - light);
  return [0, 8, 4].map((n) => {
    const k = (n + hue / 30) % 12;
    return 255 * (light - a * Math.max(-1, Math.min(k - 3, 9 - k, 1)));
  });
}
