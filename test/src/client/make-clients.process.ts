/**
 * Has openapi-generator make and compile its clients of the broker's API document, ahead of the
 * suite that runs them.
 */
import { TestBroker } from '../testkit/broker-server.ts';
import { openApiGenerators } from '../testkit/toolchain.ts';
import { clientOf, type Language } from './generated-clients.ts';

await using broker = await TestBroker.start();
const { text: document } = await broker.call('/openapi.json');
for (const language of Object.keys(openApiGenerators) as Language[]) {
  const tool = openApiGenerators[language].find(process.env);
  if (tool === undefined) continue;
  await clientOf(language, document, tool);
  console.log(`${language}: there is a client of this API document.`);
}
