'use strict'

const assert = require('node:assert')
const { mkdtempSync, rmSync, writeFileSync } = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { readCounts } = require('../../scripts/lib/counts')

describe('what a suite counts', () => {
  let folder, countsFile

  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'potoroo-counts-'))
    countsFile = path.join(folder, 'counts.json')
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const tap = (output, status) => readCounts('tap', { status, output, countsFile })
  const lines = (output, status) => readCounts('lines', { status, output, countsFile })
  const file = (counts, status) => {
    if (counts) writeFileSync(countsFile, JSON.stringify(counts))
    return readCounts('file', { status, output: '', countsFile })
  }

  it('comes from TAP', () => {
    assert.deepStrictEqual(tap('TAP version 13\nok 1 a\nok 2 b # SKIP no\nok 3 c\n1..3\n', 0), { passed: 2, failed: 0, skipped: 1 })
    assert.deepStrictEqual(tap('ok 1 a\nnot ok 2 b\n1..2\n', 1), { passed: 1, failed: 1, skipped: 0 })
  })

  it('is a failure when TAP ends early', () => {
    assert.strictEqual(tap('ok 1 a\nok 2 b\n', 0).failed, 1)
    assert.strictEqual(tap('ok 1 a\n1..2\n', 0).failed, 1)
  })

  it('comes from a file', () => {
    assert.deepStrictEqual(file({ passed: 5, failed: 0, skipped: 1 }, 0), { passed: 5, failed: 0, skipped: 1 })
    assert.deepStrictEqual(file({ passed: 5, failed: 2, skipped: 1 }, 2), { passed: 5, failed: 2, skipped: 1 })
  })

  it('is a failure without the file, without tests, and where the process says so', () => {
    assert.deepStrictEqual(file(null, 0), { passed: 0, failed: 1, skipped: 0, problem: 'did not run to its end' })
    assert.strictEqual(file({ passed: 0, failed: 0, skipped: 3 }, 0).failed, 1)
    assert.strictEqual(file({ passed: 5, failed: 0, skipped: 0 }, 7).problem, 'exited with 7')
    assert.strictEqual(file({ passed: 5, failed: 0, skipped: 0 }, null).failed, 1)
  })

  it('comes from the lines of the engine\'s tests', () => {
    assert.deepStrictEqual(lines('a ... ok (1 ms)\nb ... ok (2 ms)\n2 tests passed\n', 0), { passed: 2, failed: 0, skipped: 0 })
    assert.deepStrictEqual(lines('a ... ok (1 ms)\nb ...main.cc:3: not so: x\n', 1), { passed: 1, failed: 1, skipped: 0 })
    assert.strictEqual(lines('a ... ok (1 ms)\n', 0).failed, 1)
  })

  it('comes from the exit code of a single check', () => {
    assert.strictEqual(readCounts('exit', { status: 0, output: '', countsFile }).passed, 1)
    assert.strictEqual(readCounts('exit', { status: 2, output: '', countsFile }).failed, 1)
  })
})
