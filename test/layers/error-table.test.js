'use strict'

const assert = require('node:assert')
const { readFileSync } = require('node:fs')
const path = require('node:path')
const { root } = require('./workspaces')
const { table } = require('../../packages/errors')

/** @returns {string} the table of docs/errors.md as the code has it */
function expectedTable () {
  const rows = Object.entries(table).map(([code, { status, error, reason, name, message }]) =>
    `| \`${code}\` | ${status} | \`${error}\` | ${reason} | ${name ? `\`${name}\`` : ''} | ${message ?? ''} |`.replace(/ {2,}/g, ' '))
  return ['| code | status | error | reason | PouchDB\'s name | PouchDB\'s message |', '| --- | --- | --- | --- | --- | --- |', ...rows].join('\n')
}

/** @returns {string[]} what the pattern's group matches, each once, sorted */
const codesIn = (text, pattern) =>
  [...new Set([...text.matchAll(pattern)].map(([, code]) => code))].sort()

describe('errors', () => {
  it('are the same in docs/errors.md and in the code', () => {
    const document = readFileSync(path.join(root, 'docs/errors.md'), 'utf8')
    assert.strictEqual(/^\|[\s\S]*\|$/m.exec(document)[0], expectedTable())
  })

  it('of pmemobj are the same in its README, its types and its code', () => {
    const read = file => readFileSync(path.join(root, 'packages/pmemobj', file), 'utf8')
    const codes = codesIn(read('lib/base/codes.js'), /^ +(PMEMOBJ_[A-Z_]+):/gm)
    assert.ok(codes.length > 0)
    assert.deepStrictEqual(codesIn(read('types/system.d.ts'), /'(PMEMOBJ_[A-Z_]+)'/g), codes)
    assert.deepStrictEqual(codesIn(read('README.md'), /^\| `(PMEMOBJ_[A-Z_]+)`/gm), codes)
    const thrown = codesIn(read('src/binding/base/addon.cc'), /"(PMEMOBJ_[A-Z_]+)"/g)
    assert.deepStrictEqual(thrown.filter(code => !codes.includes(code) && code !== 'PMEMOBJ_OK'), [])
  })
})
