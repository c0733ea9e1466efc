#!/usr/bin/env node
'use strict'

const { spawnSync } = require('node:child_process')
const os = require('node:os')
const path = require('node:path')

// Builds the engine's own bench, in C++ and without Node.js, and runs it. Its arguments: entries,
// a folder (default /dev/shm, in the place of persistent memory), rounds.

const source = path.join(__dirname, '../../packages/pmemobj/test/engine')
const build = path.join(os.tmpdir(), `potoroo-engine-bench-${os.userInfo().uid}`)
const args = ['--silent', '-C', source, 'bench', `BUILD=${build}`, `ONLY=${process.argv.slice(2).join(' ')}`]
const { status, error } = spawnSync('make', args, { stdio: 'inherit' })
if (error) throw error
process.exitCode = status ?? 1
