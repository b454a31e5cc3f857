#!/usr/bin/env -S node --max-semi-space-size=2
'use strict';

/*
 * The command, from here on in modules of today. This file alone is written so that old versions of Node can read it: they would
 * answer with a SyntaxError from somewhere in the middle.
 */
const oldest = [22, 22];
const version = process.versions.node.split('.').map(Number);

if (version[0] < oldest[0] || (version[0] === oldest[0] && version[1] < oldest[1])) {
  const found = `${process.version} (${process.execPath})`;
  process.stderr.write(`error: quire needs Node.js ${oldest.join('.')} or later, but this is ${found}.\n`);
  process.exitCode = 1;
} else {
  import('../dist/main.js');
}
