'use strict'

const assert = require('node:assert/strict')
const { mkdtempSync, readFileSync, readdirSync, rmSync } = require('node:fs')
const { builtinModules } = require('node:module')
const { tmpdir } = require('node:os')
const path = require('node:path')
const { gzipSync } = require('node:zlib')

const { dependencies } = require('../package.json')
const { bundle } = require('../scripts/bundle')

/** KiB, compressed: what an application adds to pouchdb-core at first, and what it loads when it asks an index. */
const MOST = 60
const MOST_OF_INDEXES = 30

describe('What pages load', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'pouchdb-adapter-level-'))
  let files
  before(async () => { files = await bundle(folder) })
  after(() => rmSync(folder, { recursive: true, force: true }))

  /** KiB */
  const sizeOf = (...names) => names.reduce((sum, name) => sum + gzipSync(readFileSync(path.join(folder, name)), { level: 9 }).length, 0) / 1024

  it(`is at first no more than ${MOST} KiB, compressed, and for indexes ${MOST_OF_INDEXES} more`, () => {
    assert.deepEqual(readdirSync(folder).sort(), ['core.js', 'indexes.js', 'page.js', 'pouchdb.level.min.js'])
    const [first, indexes] = [sizeOf('page.js', 'core.js'), sizeOf('indexes.js')]
    assert.ok(first <= MOST, `${first} KiB`)
    assert.ok(indexes <= MOST_OF_INDEXES, `${indexes} KiB`)
  })

  it('is what README.md says', () => {
    const readme = readFileSync(path.join(__dirname, '../README.md'), 'utf8')
    const said = [/loads (\d+) KiB compressed at first/, /file of their own, (\d+) KiB/, /all is in one file, (\d+) KiB/].map(pattern => Number(pattern.exec(readme)?.[1]))
    const sizes = [sizeOf('page.js', 'core.js'), sizeOf('indexes.js'), sizeOf('pouchdb.level.min.js')]
    for (const [i, size] of sizes.entries()) assert.ok(Math.abs(size - said[i]) < 2, `${size} KiB, and README.md says ${said[i]}`)
  })

  it('has neither a module of Node.js nor Buffer', () => {
    for (const { inputs, outputs } of Object.values(files)) {
      const names = Object.keys(inputs)
      assert.ok(names.length > 100)
      assert.deepEqual(names.filter(name => /node_modules\/(buffer|process|readable-stream|crypto-browserify)\//.test(name)), [])
      const external = Object.values(outputs).flatMap(({ imports }) => imports.filter(({ external }) => external).map(({ path }) => path))
      assert.deepEqual(external.filter(name => !Object.hasOwn(dependencies, name)), [])
      // A package has the name of Node.js's, which pouchdb-core imports.
      assert.deepEqual(external.filter(name => name !== 'events' && (name.startsWith('node:') || builtinModules.includes(name))), [])
    }
    const forbidden = (/** @type {string} */ names) => new RegExp(`(?<![\\w.$"'\`])(${names})\\b(?=[.[(])`)
    assert.doesNotMatch(readFileSync(path.join(folder, 'pouchdb.level.min.js'), 'utf8'), forbidden('Buffer|process|require|__dirname|global'))
    for (const name of ['core.js', 'indexes.js']) assert.doesNotMatch(readFileSync(path.join(folder, name), 'utf8'), forbidden('Buffer|process|__dirname|global'))
  })
})
