#!/usr/bin/env -S node --max-semi-space-size=2
'use strict';

/* The command; everything after this file is in modern modules. This file alone must be parsed by
   old versions of Node, which would otherwise report a SyntaxError from one of the modules. */
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
 * Caching compiled code between starts halves the time of a start, and saves the memory of
 * compiling: the TypeScript compiler alone takes some 20 MB when the sources are run. Only the user
 * may write to the cache. Worker processes find it by the variable.
 */
function keepCompiledCode() {
  const { enableCompileCache } = require('node:module');
  const { homedir } = require('node:os');
  const { join } = require('node:path');
  const own = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'quire', 'compile');
  process.env.NODE_COMPILE_CACHE = process.env.NODE_COMPILE_CACHE || own;
  enableCompileCache(process.env.NODE_COMPILE_CACHE);
}
