// Compiles the contracts of this folder and writes NAME.json beside each NAME.sol.
//
//   npm --prefix testdata ci && node functions/local/devchain/token/compile.mjs
//
// With --stdout it writes nothing and prints {"Token.json": ..., ...} instead: a
// Go test uses that to prove that the committed files belong to the sources.
//
// The output depends on nothing but the sources and the compiler: no metadata
// hash (it would contain paths), fixed optimiser settings, sorted keys.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const testdata = join(here, "..", "..", "..", "..", "testdata");
const solc = createRequire(join(testdata, "package.json"))("solc");

const pinned = JSON.parse(readFileSync(join(testdata, "package.json"), "utf8")).devDependencies.solc;
if (!solc.version().startsWith(pinned + "+")) {
  throw new Error(`solc ${solc.version()} is installed, testdata/package.json pins ${pinned}: run npm ci in testdata`);
}

const contracts = readdirSync(here).filter((name) => name.endsWith(".sol")).map((name) => name.slice(0, -4)).sort();
const sources = Object.fromEntries(
  contracts.map((name) => [`${name}.sol`, { content: readFileSync(join(here, `${name}.sol`), "utf8") }]),
);

function compile(contract) {
  const file = `${contract}.sol`;
  const source = sources[file].content;
  const out = JSON.parse(
    solc.compile(
      JSON.stringify({
        language: "Solidity",
        sources,
        settings: {
          evmVersion: "cancun",
          optimizer: { enabled: true, runs: 200 },
          metadata: { appendCBOR: false, bytecodeHash: "none" },
          outputSelection: {
            [file]: { [contract]: ["abi", "evm.bytecode.object", "evm.deployedBytecode.object", "storageLayout"] },
          },
        },
      }),
    ),
  );
  for (const e of out.errors ?? []) {
    throw new Error(e.formattedMessage);
  }
  const built = out.contracts[file][contract];
  return (
    JSON.stringify(
      {
        contract,
        solc: solc.version(),
        source: file,
        sourceSha256: createHash("sha256").update(source).digest("hex"),
        slots: Object.fromEntries(built.storageLayout.storage.map((v) => [v.label, Number(v.slot)])),
        abi: built.abi,
        creation: "0x" + built.evm.bytecode.object,
        runtime: "0x" + built.evm.deployedBytecode.object,
      },
      null,
      1,
    ) + "\n"
  );
}

const files = Object.fromEntries(contracts.map((name) => [`${name}.json`, compile(name)]));
if (process.argv.includes("--stdout")) {
  process.stdout.write(JSON.stringify(files));
} else {
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(here, name), text);
  }
}
