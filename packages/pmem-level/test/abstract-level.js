'use strict'

// abstract-level's own suite, with tape: `node test/abstract-level.js`.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const test = require('tape')
const suite = require('abstract-level/test')
const { PmemLevel } = require('..')

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pmem-level-'))
let count = 0

test.onFinish(() => fs.rmSync(folder, { recursive: true, force: true }))

suite({
  test,
  factory (options) {
    return new PmemLevel(path.join(folder, String(count++)), options)
  }
})
