#!/usr/bin/env node
import { main } from '#main';

await main();
