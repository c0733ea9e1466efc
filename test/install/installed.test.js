'use strict'

const assert = require('node:assert')
const fs = require('node:fs')
const path = require('node:path')
const { programs, read } = require('../layers/markdown')
const { PackedPackages } = require('./packed-packages')

const own = `linux-${process.arch}`

/** The packages that people install. */
const NAMES = ['potoroo', 'pouchdb-potoroo', 'pouchdb-core', 'pouchdb-adapter-pmem', 'pmemobj', 'pmem-level']

describe('the packed packages, installed where there is no compiler, no Python and no network', function () {
  this.timeout(600_000)

  const packages = new PackedPackages()
  let packed
  before(async () => { packed = await packages.start() })
  after(() => packages.stop())

  describe('with --ignore-scripts', () => {
    let there
    before(async () => {
      there = packages.project('plain')
      await there.install('--ignore-scripts', ...NAMES)
    })

    it('has the addons of this platform alone', () => {
      assert.deepStrictEqual(fs.readdirSync(there.module('@potoroo')).filter(name => name.startsWith('addons-')), [`addons-${own}`])
    })

    for (const file of ['README.md', 'adapters/pouchdb-potoroo/README.md', 'packages/pmemobj/README.md', 'packages/pmem-level/README.md']) {
      it(`runs the first example of ${file}`, async () => {
        const [{ code }] = programs(read(file))
        const ran = await there.program(`examples/${path.dirname(file)}/example.js`, code)
        assert.strictEqual(ran.status, 0, ran.output)
        for (const [, text] of code.matchAll(/console\.log\(.*\) \/\/ (.+)$/gm)) assert.ok(ran.output.includes(text.trim()), ran.output)
      })
    }

    it('loads all packages by require and by import, with the same names', async () => {
      const names = packed.filter(({ manifest }) => manifest.main !== undefined && fs.existsSync(there.module(manifest.name))).map(({ name }) => name)
      assert.ok(names.length > 15, names.join(' '))
      const ran = await there.program('load.mjs', `
        import { createRequire } from 'node:module'
        const require = createRequire(import.meta.url)
        for (const name of ${JSON.stringify(names)}) {
          const required = require(name)
          const imported = await import(name)
          const own = required.preferredAdapters === undefined ? Object.keys(required) : ['PouchDB']
          for (const key of own) if (imported[key] !== required[key]) console.log(name, key)
          if (imported.default !== required) console.log(name)
        }`)
      assert.deepStrictEqual(ran, { status: 0, output: '' })
    })

    it('has the command, which serves from persistent memory', async () => {
      const ran = await there.run([there.module('.bin/potoroo'), 'user', 'add', 'anna', '--help'])
      assert.strictEqual(ran.status, 0, ran.output)
      const served = await there.program('serve.js', `
        const { serve } = require('potoroo')
        const { open } = require('@potoroo/storage')
        open({ path: 'data', allowVolatile: true }).then(async storage => { console.log(storage.describe().storage); await storage.level.close() })`)
      assert.strictEqual(served.output, 'pmem\n')
    })

    it('says in one sentence that an addon is broken, and stores in LevelDB', async () => {
      const file = there.module('@potoroo', `addons-${own}`, 'pmemobj.node')
      const whole = fs.readFileSync(file)
      fs.writeFileSync(file, 'no addon')
      try {
        const ran = await there.program('broken.js', 'try { require("pmemobj") } catch ({ code, message }) { console.log(code, message) }')
        assert.match(ran.output, /^ADDON_BROKEN The native addon \S+pmemobj\.node does not load \(.+\): install it again, or see \S+install\.md\n$/)
        await assertLevelDB(there)
      } finally {
        fs.writeFileSync(file, whole)
      }
    })
  })

  it('installs on another platform, and stores in LevelDB', async () => {
    const there = packages.project('foreign')
    await there.install('--os=darwin', '--cpu=arm64', ...NAMES)
    assert.deepStrictEqual(fs.readdirSync(there.module('@potoroo')).filter(name => name.startsWith('addons-')), [])
    const ran = await there.program('missing.js', 'try { require("pmemobj") } catch ({ code, message }) { console.log(code, message) }')
    assert.match(ran.output, /^ADDON_MISSING The native addon of pmemobj is not there: install .*\n$/)
    await assertLevelDB(there)
  })

  it('takes the addons for musl on musl', async () => {
    const there = packages.project('musl')
    await there.install('--os=linux', '--cpu=x64', '--libc=musl', '@potoroo/addons')
    assert.deepStrictEqual(fs.readdirSync(there.module('@potoroo')).sort(), ['addons', 'addons-linux-x64-musl'])
  })
})

/** @param {import('./project').Project} there */
async function assertLevelDB (there) {
  const ran = await there.program('level.js', `
    const PouchDB = require('pouchdb-potoroo')
    const { open } = require('@potoroo/storage')
    process.removeAllListeners('warning').on('warning', ({ code }) => console.log(code))
    async function main () {
      const db = new PouchDB('in-level')
      await db.put({ _id: 'milk' })
      console.log(db.adapter)
      await db.destroy()
      const storage = await open({ path: 'level-data', allowVolatile: true })
      console.log(storage.describe().storage)
      await storage.level.close()
    }
    main()`)
  assert.strictEqual(ran.status, 0, ran.output)
  assert.deepStrictEqual(ran.output.trim().split('\n').sort(), ['POTOROO_NO_PMEM', 'classic-level', 'classic-level'])
}
