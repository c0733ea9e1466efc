'use strict'

const assert = require('node:assert')
const { spawnSync } = require('node:child_process')
const { cpSync, mkdtempSync, rmSync } = require('node:fs')
const os = require('node:os')
const path = require('node:path')

const root = path.join(__dirname, '../../..')

describe('collation without the addon', function () {
  this.timeout(600_000)

  /** A copy of the package as it stands where the addon could not be built. */
  let folder
  before(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'potoroo-collation-'))
    for (const name of ['index.js', 'lib', 'package.json']) cpSync(path.join(__dirname, '..', name), path.join(folder, name), { recursive: true })
  })
  after(() => rmSync(folder, { recursive: true }))

  const run = code => spawnSync(process.execPath, ['-e', `const { collator, couchCollation, pouchCollation } = require(${JSON.stringify(folder)}); ${code}`],
    { env: { ...process.env, NODE_PATH: path.join(root, 'node_modules') }, encoding: 'utf8' })

  it('orders strings by code unit, under another name', () => {
    const { stdout } = run('const { compare, decode, encode, name } = couchCollation; console.log(name, collator, compare("B", "a"), encode("B") < encode("a"), decode(encode(["a"])).value[0])')
    assert.strictEqual(stdout, 'couchdb-code-units null -1 true a\n')
  })

  it('says so once, when it matters', () => {
    const { stderr } = run('couchCollation.encode("a"); couchCollation.encode("b")')
    assert.strictEqual(stderr.match(/ordered by code unit, and not as in CouchDB: The native addon of collation is/g).length, 1)
    assert.strictEqual(run('pouchCollation.encode("a"); couchCollation.encode([1, ""])').stderr, '')
  })
})
