'use strict'

const assert = require('node:assert')
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const { Pool } = require('..')
const { command } = require('./command')
const { contentsOf, gather, someBytes } = require('./contents')
const { temporaryFolder } = require('./temporary-folder')

const program = path.join(__dirname, '../bin/pmemobj.js')

describe('the commands that copy a pool', function () {
  this.timeout(600_000)
  const folder = temporaryFolder()
  let location
  let contents

  beforeEach(() => {
    location = folder.next()
    const pool = Pool.open(location)
    pool.map('a').batch(Array.from({ length: 100 }, (_, i) => ['put', `${i}`, someBytes(i * 1000)]).flat())
    pool.map('b').put('', '')
    contents = contentsOf(pool)
    pool.close()
  })

  function contentsAt (path) {
    const pool = Pool.open(path, { createIfMissing: false })
    const found = contentsOf(pool)
    pool.close()
    return found
  }

  for (const [write, read] of [['backup', 'restore'], ['dump', 'load']]) {
    it(`${write} and ${read}: through files`, async () => {
      const [file, copy] = [folder.next(), folder.next()]
      const written = await command([write, location, file])
      assert.deepStrictEqual([written.code, written.stdout], [0, ''])
      assert.match(written.stderr, /^2 maps, 101 entries: \d+ bytes\n$/)
      const made = await command([read, file, copy])
      assert.strictEqual(made.code, 0, made.stderr)
      assert.match(made.stderr, /^2 maps, 101 entries/)
      assert.deepStrictEqual(contentsAt(copy), contents)
      assert.deepStrictEqual(await command([write, '--quiet', location, file]), { code: 0, stdout: '', stderr: '' })
    })

    it(`${write} refuses another name of no map`, async () => {
      const file = folder.next()
      assert.deepStrictEqual(await command([write, location, file, '--as', 'c']), { code: 2, stdout: '', stderr: 'pmemobj: --as names the one map that --map takes: name that, too\n' })
      assert.ok(!fs.existsSync(file))
    })

    it(`${write} and ${read}: through a pipe`, async () => {
      const copy = folder.next()
      const writer = spawn(process.execPath, [program, write, location], { stdio: ['ignore', 'pipe', 'ignore'] })
      const reader = spawn(process.execPath, [program, read, '--max-size', '1G', '-', copy], { stdio: [writer.stdout, 'ignore', 'ignore'] })
      assert.deepStrictEqual((await Promise.all([once(writer, 'exit'), once(reader, 'exit')])).map(([code]) => code), [0, 0])
      assert.deepStrictEqual(contentsAt(copy), contents)
      const pool = Pool.open(copy)
      assert.strictEqual(pool.stats().maxSize, 2 ** 30)
      pool.close()
    })

    it(`${write} and ${read}: failures`, async () => {
      const [file, copy] = [folder.next(), folder.next()]
      const missing = await command([write, copy, file])
      assert.deepStrictEqual([missing.code, missing.stderr], [2, `pmemobj: The pool ${copy} does not exist\n`])
      const unread = await command([read, file, copy])
      assert.strictEqual(unread.code, 2)
      assert.match(unread.stderr, /^pmemobj: ENOENT/)
      fs.writeFileSync(file, 'a letter\n')
      const foreign = await command([read, file, copy])
      assert.strictEqual(foreign.code, 2)
      assert.match(foreign.stderr, /^pmemobj: (This is not a backup|The dump cannot be loaded, line 1)/)
      const cut = await command([write, '--map', 'none', location, file])
      assert.strictEqual(cut.code, 2)
      assert.strictEqual(fs.readFileSync(file, 'utf8'), 'a letter\n')
      assert.strictEqual((await command([read, '--size', 'much', file, copy])).code, 2)
      assert.deepStrictEqual(fs.readdirSync(folder.path).filter(name => /draft|restoring/.test(name)), [])
    })
  }

  it('restore: interrupted, leaves nothing', async () => {
    const copy = folder.next()
    const pool = Pool.open(location)
    const backup = await gather(pool.backup())
    pool.close()
    const child = spawn(process.execPath, [program, 'restore', '-', copy], { stdio: ['pipe', 'ignore', 'pipe'] })
    child.stdin.on('error', () => {})
    child.stdin.write(backup.subarray(0, -10))
    const begun = new Promise(resolve => {
      const watcher = fs.watch(folder.path, (_, name) => {
        if (!name.startsWith(`${path.basename(copy)}.`) || !name.endsWith('.restoring')) return
        watcher.close()
        resolve()
      })
    })
    await begun
    child.kill('SIGINT')
    const [[code], text] = await Promise.all([once(child, 'exit'), gather(child.stderr)])
    assert.deepStrictEqual([code, String(text)], [2, 'pmemobj: interrupted, nothing is left behind\n'])
    assert.deepStrictEqual(fs.readdirSync(folder.path).filter(name => name.startsWith(path.basename(copy))), [])
  })

  it('load: a map for what names none', async () => {
    const [file, copy] = [folder.next(), folder.next()]
    fs.writeFileSync(file, 'VERSION=3\nformat=print\nHEADER=END\n k\n v\nDATA=END\n')
    assert.strictEqual((await command(['load', '--map', 'mine', file, copy])).code, 0)
    assert.deepStrictEqual(contentsAt(copy), { mine: [['6b', '76']] })
  })

  it('dump: for people, and for mdb_load', async () => {
    const { stdout } = await command(['dump', '--print', '--mapsize', '64M', location])
    assert.match(stdout, /^VERSION=3\nformat=print\ndatabase=a\ntype=btree\nmapsize=67108864\nHEADER=END\n 0\n \n 1\n/)
  })

  it('backup, dump, info: of a pool that another process writes to', async () => {
    const [file, copy] = [folder.next(), folder.next()]
    const pool = Pool.open(location)
    try {
      assert.strictEqual((await command(['backup', location, file])).code, 0)
      assert.match((await command(['dump', location])).stdout, /^VERSION=3\n/)
      const info = JSON.parse((await command(['info', '--json', location])).stdout)
      assert.deepStrictEqual(info.maps, [{ name: 'a', entries: 100 }, { name: 'b', entries: 1 }])
      assert.strictEqual(info.used, null)
      assert.match((await command(['info', location])).stdout, /\nused {6}not known: only a process that may write to the pool knows\n/)
    } finally {
      pool.close()
    }
    assert.strictEqual((await command(['restore', file, copy])).code, 0)
    assert.deepStrictEqual(contentsAt(copy), contentsAt(location))
  })

  it('info: in words, and as JSON', async () => {
    const { code, stdout } = await command(['info', '--json', location])
    assert.strictEqual(code, 0)
    const info = JSON.parse(stdout)
    assert.deepStrictEqual(info.maps, [{ name: 'a', entries: 100 }, { name: 'b', entries: 1 }])
    assert.ok(info.used > 0 && info.used < info.size && info.size <= info.maxSize)
    assert.match((await command(['info', location])).stdout, /\n"a" +100\n"b" +1\n$/)
    assert.strictEqual((await command(['info', folder.next()])).code, 2)
  })

  it('all of them: --help teaches', async () => {
    for (const name of ['backup', 'restore', 'dump', 'load', 'info', 'compact']) {
      const { code, stdout } = await command([name, '--help'])
      assert.strictEqual(code, 0)
      assert.match(stdout, /Examples?:\n {2}\$ /)
    }
  })
})
