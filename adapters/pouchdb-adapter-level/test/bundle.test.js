'use strict'

const assert = require('node:assert/strict')
const { mkdtempSync, readFileSync, rmSync } = require('node:fs')
const { builtinModules } = require('node:module')
const { tmpdir } = require('node:os')
const path = require('node:path')
const { gzipSync } = require('node:zlib')

const { bundle } = require('../scripts/bundle')

/** Bytes of page.js, compressed: what an application adds to pouchdb-core. */
const MOST = 100 * 1024

describe('What pages load', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'pouchdb-adapter-level-'))
  let files
  before(async () => { files = await bundle(folder) })
  after(() => rmSync(folder, { recursive: true, force: true }))

  it(`is no more than ${MOST / 1024} KiB, compressed`, () => {
    const { length } = gzipSync(readFileSync(path.join(folder, 'page.js')), { level: 9 })
    assert.ok(length <= MOST, `${length} bytes`)
  })

  it('has neither a module of Node.js nor Buffer', () => {
    for (const { inputs, outputs } of Object.values(files)) {
      const names = Object.keys(inputs)
      assert.ok(names.length > 100)
      assert.deepEqual(names.filter(name => /node_modules\/(buffer|process|readable-stream|crypto-browserify)\//.test(name)), [])
      const external = Object.values(outputs).flatMap(({ imports }) => imports.filter(({ external }) => external).map(({ path }) => path))
      assert.deepEqual(external.filter(name => name.startsWith('node:') || builtinModules.includes(name)), [])
    }
    const code = readFileSync(path.join(folder, 'pouchdb.level.min.js'), 'utf8')
    assert.doesNotMatch(code, /(?<![\w.$"'`])(Buffer|process|require|__dirname|global)\b(?=[.[(])/)
  })
})
