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
  process.stderr.write(
    `error: quire needs Node.js ${oldest.join('.')} or later, but this is ${found}.\n`,
  );
  process.exitCode = 1;
} else {
  keepCompiledCode();
  import('#main');
}

/**
 * Compiled code that is kept between starts halves the time of a start, and the memory that compiling takes is not taken: the compiler of
 * TypeScript alone has some 20 MB where the sources are run. Only the user may write to its place. The processes of workers find it by the variable.
 */
function keepCompiledCode() {
  const { enableCompileCache } = require('node:module');
  const { homedir } = require('node:os');
  const { join } = require('node:path');
  const own = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'quire', 'compile');
  process.env.NODE_COMPILE_CACHE = process.env.NODE_COMPILE_CACHE || own;
  enableCompileCache(process.env.NODE_COMPILE_CACHE);
}
