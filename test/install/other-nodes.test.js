'use strict'

const assert = require('node:assert')
const { once } = require('node:events')
const fs = require('node:fs')
const { createInterface } = require('node:readline')
const { nodes, npm, programOf } = require('./nodes')
const { PackedPackages, isPrebuilt, prebuilt } = require('./packed-packages')

/** Room for QEMU's small address space. */
const OPTIONS = '{ maxSize: 2 ** 26 }'

const WRITE = `
  const fs = require('node:fs')
  const { Pool } = require('pmemobj')
  const map = Pool.open('pool', ${OPTIONS}).map('numbers')
  for (let i = 0; ; i++) {
    map.put(String(i % 1000), String(i).repeat(i % 100))
    fs.writeSync(1, i + '\\n')
  }`

const READ = `
  const assert = require('node:assert')
  const fs = require('node:fs')
  const { Pool, check } = require('pmemobj')
  const { couchCollation } = require('@potoroo/collation')
  const PouchDB = require('pouchdb-potoroo')
  const [last] = process.argv.slice(2).map(Number)

  async function main () {
    const pool = Pool.open('pool', ${OPTIONS})
    const found = pool.map('numbers')
    for (let i = Math.max(0, last - 998); i <= last; i++) assert.strictEqual(String(found.get(String(i % 1000))), String(i).repeat(i % 100))
    pool.close()
    assert.deepStrictEqual((await check('pool')).problems, [])
    const key = Buffer.alloc(32, 7)
    for (const write of [true, false]) {
      const encrypted = Pool.open('encrypted', { key, ...${OPTIONS} })
      if (write) encrypted.map('m').put('name', 'value')
      else assert.strictEqual(String(encrypted.map('m').get('name')), 'value')
      encrypted.close()
    }
    for (const name of fs.readdirSync('encrypted')) assert.ok(!fs.readFileSync('encrypted/' + name).includes('value'), name)
    const db = new PouchDB('notes', { maxSize: 2 ** 26 })
    await db.bulkDocs(['b', 'ä', 'B', 'a'].map(_id => ({ _id })))
    const { rows } = await db.allDocs()
    console.log(db.adapter, rows.map(({ key }) => key).sort(couchCollation.compare).join(' '))
    await db.close()
  }
  main()`

/** Writes until at least 2,000 writes are committed, and kills the process amid the next. @param {import('./project').Project} there */
async function writeAndKill (there) {
  const child = there.start([there.write('write.js', WRITE)])
  let errors = ''
  child.stderr.on('data', chunk => { errors += chunk })
  let last = -1
  for await (const line of createInterface(child.stdout)) {
    last = Number(line)
    if (last === 2000) child.kill('SIGKILL')
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  assert.strictEqual(child.signalCode, 'SIGKILL', errors)
  return last
}

describe('the packed packages on other Node.js, other processors and musl', function () {
  this.timeout(600_000)

  const packages = new PackedPackages()
  before(async function () {
    if (!isPrebuilt || !fs.existsSync(programOf(nodes[0]))) return this.skip()
    await packages.start(prebuilt)
  })
  after(() => packages.stop())

  for (const node of nodes.filter(({ version }) => !version.startsWith('18.'))) {
    it(`keep in a pool what is committed when Node.js ${node.version} on ${node.platform} is killed`, async () => {
      const there = packages.project(node.name, programOf(node))
      const [, cpu, libc = 'glibc'] = node.platform.split('-')
      await there.install('--ignore-scripts', `--cpu=${cpu}`, `--libc=${libc}`, 'pouchdb-potoroo', 'pmemobj')
      assert.deepStrictEqual(fs.readdirSync(there.module('@potoroo')).filter(name => name.startsWith('addons-')), [`addons-${node.platform}`])
      const last = await writeAndKill(there)
      const ran = await there.run([there.write('read.js', READ), String(last)])
      assert.deepStrictEqual(ran, { status: 0, output: 'pmem a ä b B\n' })
    })
  }

  it('say in one sentence that Node.js 18 is too old', async () => {
    const node = nodes.find(({ version }) => version.startsWith('18.'))
    const there = packages.project(node.name, programOf(node))
    await there.install('--ignore-scripts', 'potoroo')
    const ran = await there.run([there.module('.bin/potoroo'), 'serve'])
    assert.deepStrictEqual(ran, { status: 1, output: `potoroo: Node.js 20.19 or later is needed, and this is ${node.version}: install a newer one.\n` })
  })

  it('are installed by npm 12', async () => {
    const node = nodes.find(({ name }) => name === 'node-22')
    const there = packages.project('npm-12', programOf(node))
    const output = await there.installBy([programOf(node), npm.program], 'pouchdb-potoroo')
    // LevelDB's binding has one, which looks whether its addon is there.
    assert.deepStrictEqual([...output.matchAll(/^npm warn install-scripts +(\S+)@/gm)].map(([, name]) => name), ['classic-level'])
    const ran = await there.program('memory.js', 'console.log(require("pouchdb-potoroo").preferredAdapters.join(" "))')
    assert.deepStrictEqual(ran, { status: 0, output: 'auto pmem classic-level memory-level\n' })
  })
})
