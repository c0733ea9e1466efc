'use strict'

const assert = require('node:assert')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { findFault, stage } = require('../../scripts/lib/release/stage')
const { read } = require('../layers/markdown')

describe('addons for a release', () => {
  const { version } = JSON.parse(read('lerna.json'))

  let folder
  before(() => { folder = fs.mkdtempSync(path.join(os.tmpdir(), 'potoroo-release-')) })
  after(() => fs.rmSync(folder, { recursive: true }))

  const make = (name, manifest) => {
    fs.mkdirSync(path.join(folder, name))
    if (manifest !== undefined) fs.writeFileSync(path.join(folder, name, 'package.json'), JSON.stringify({ name: `@potoroo/addons-${name}`, ...manifest }))
    return path.join(folder, name)
  }

  it('are those that were built whole, of this version', () => {
    assert.strictEqual(findFault(make('whole', { version })), undefined)
    assert.match(findFault(path.join(folder, 'never')), /^There are no addons in \S+never: `node scripts\/prebuild\.js` makes them\.$/)
    assert.match(findFault(make('failed')), /^There are no addons in \S+failed: /)
    assert.match(findFault(make('old', { version: '0.0.9' })), new RegExp(`^The addons in \\S+old are of 0\\.0\\.9, not ${version}: `))
  })

  it('are staged without those of other platforms', () => {
    make('one', { version })
    const staged = stage(path.join(folder, 'staged'), folder, ['one'])
    assert.deepStrictEqual(staged.filter(({ name }) => name.startsWith('@potoroo/addons-')).map(({ name }) => name), ['@potoroo/addons-one'])
    assert.throws(() => stage(path.join(folder, 'again'), folder, ['one', 'failed']), /There are no addons in/)
  })
})
