// Validates an OpenAPI document from standard input against the specification's
// own schema. Prints {valid, version, errors} as JSON.
import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";

const validator = new Validator();
const result = await validator.validate(JSON.parse(readFileSync(0, "utf8")));
console.log(JSON.stringify({ valid: result.valid, version: validator.version, errors: result.errors }));
