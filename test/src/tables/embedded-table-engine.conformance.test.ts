import { describeTableEngine } from '@quire/core/conformance';
import { openEmbeddedFixture } from './embedded-fixture.ts';

describeTableEngine('the embedded table engine', openEmbeddedFixture);
