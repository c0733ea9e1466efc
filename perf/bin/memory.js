#!/usr/bin/env node
'use strict'

// How much memory PouchDB's face takes while documents come and go: `node perf/bin/memory.js
// [--documents N] [--followers N] [--only TEXT]`. On each storage, in a process of its own, it
// inserts the documents by 1000, and reads them by pages of 1000 from allDocs and changes; then
// the live feeds listen. In another process it builds an index of them instead, and reads that; in a third
// one a server gets them over HTTP and builds two views, whose functions run in the sandbox. It fails where more than 200 MiB are taken above an empty database.

const { spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { choose, readOptions } = require('../lib/run/command-line')

const { values } = readOptions({
  options: {
    documents: { type: 'string', default: '1000000' },
    followers: { type: 'string', default: '1000' },
    only: { type: 'string', default: '' }
  }
})

const storages = { pmem: '/dev/shm', 'classic-level': os.tmpdir() }

async function measure (adapter, parent, part) {
  const folder = fs.mkdtempSync(path.join(parent, 'potoroo-memory-'))
  try {
    const script = path.join(__dirname, '../lib/subjects', part === 'server' ? 'served-documents.js' : 'documents.js')
    const child = spawn(process.execPath, ['--expose-gc', script, adapter, folder, values.documents, values.followers, part], {
      stdio: 'inherit', env: { ...process.env, PMEM_IS_PMEM_FORCE: '1' }
    })
    const [code] = await once(child, 'exit')
    if (code !== 0) process.exitCode = 1
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

async function main () {
  for (const [adapter, parent] of choose(Object.entries(storages), values.only, { nameOf: ([adapter]) => adapter, isPattern: false })) {
    for (const part of ['documents', 'index', 'server']) await measure(adapter, parent, part)
  }
}

main()
