// A newcomer's path from tarballs alone, in an empty folder with an empty home: install, `init`, `status`, `tools`, `call`, and the README's
// program for each framework. Nothing may warn, be compiled, or need a file of this repository.
import { makeEmptyPlace } from "../newcomer/empty-place.mjs";
import { walkNewcomersPath } from "../newcomer/path.mjs";
import { packInto } from "../packing.mjs";
import { conclude } from "../tracked-files.mjs";

const place = makeEmptyPlace();
const problems = await packInto(place.folder)
  .then((packages) => walkNewcomersPath(place, packages))
  .finally(place.close);
conclude(problems);
