// Writes the licences of everything that is in the bundle beside it, as they ask for.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";

const lock = JSON.parse(readFileSync("package-lock.json", "utf8"));
const parts = [];
for (const [folder, about] of Object.entries(lock.packages)) {
  if (folder === "" || about.dev || about.optional) continue;
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
  const known = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  const words = file ? readFileSync(`${folder}/${file}`, "utf8").trim() : `Licence: ${known.license}`;
  parts.push(`${known.name} ${known.version}\n\n${words}\n`);
}
writeFileSync("../src/mags/web/bundle/licences.txt", parts.join(`\n${"-".repeat(72)}\n\n`));
