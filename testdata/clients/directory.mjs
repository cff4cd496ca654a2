// Reads a running service as a directory does, with the official bazaar client
// and its validation. Environment: BASE_URL. Arguments: METHOD PATH pairs.
// Prints {listing, filtered, terms} as JSON; terms has for each path what the
// validation says about the extension of its 402 and of its listing entry.
import { HTTPFacilitatorClient } from "@x402/core/http";
import { validateDiscoveryExtension, validateDiscoveryExtensionSpec, withBazaar } from "@x402/extensions/bazaar";

const base = process.env.BASE_URL;
const { bazaar } = withBazaar(new HTTPFacilitatorClient({ url: base })).extensions;
const listing = await bazaar.listResources({ type: "http", limit: 100 });
const filtered = await bazaar.listResources({ network: "eip155:1" });
const problems = (extension) => [validateDiscoveryExtension(extension), validateDiscoveryExtensionSpec(extension)].flatMap((r) => r.valid ? [] : r.errors);
const terms = {};
const pairs = process.argv.slice(2);
for (let i = 0; i < pairs.length; i += 2) {
  const answer = await fetch(base + pairs[i + 1], { method: pairs[i] });
  const required = JSON.parse(Buffer.from(answer.headers.get("payment-required"), "base64").toString());
  const listed = listing.items.find((item) => item.resource === required.resource.url);
  terms[pairs[i + 1]] = [...problems(required.extensions.bazaar), ...problems(listed.extensions.bazaar)];
}
console.log(JSON.stringify({ listing, filtered, terms }));
