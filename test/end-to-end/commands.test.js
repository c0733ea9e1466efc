'use strict'

const assert = require('node:assert')
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { DataFolder, admin } = require('./data-folder')
const { HttpClient } = require('./http-client')

const program = path.resolve(__dirname, '../../server/bin/potoroo.js')

/** `potoroo …` in a process of its own. */
async function potoroo (words, input = '', before = []) {
  const child = spawn(process.execPath, [...before, program, ...words])
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr']) child[name].setEncoding('utf8').on('data', text => { output[name] += text })
  child.stdin.end(input)
  const [code] = await once(child, 'close')
  return { code, ...output }
}

describe('potoroo', () => {
  let folder, elsewhere, client, server, file

  before(async () => {
    folder = new DataFolder('classic-level')
    elsewhere = new DataFolder('classic-level', { iterations: 0 })
    file = path.join(elsewhere.path, 'monday.backup')
    server = await folder.start()
    client = new HttpClient(await server.started, admin)
    await client.ask('PUT', '/todos')
    for (let i = 0; i < 50; i++) await client.ask('PUT', `/todos/${i}`, { text: 'x'.repeat(10000), i })
    await client.ask('PUT', '/todos/0/note.txt?rev=' + (await client.ask('GET', '/todos/0'))._rev, 'an attachment')
    await client.ask('PUT', '/todos/_security', { admins: {}, members: { names: ['berta'] } })
  })

  after(async () => {
    await folder.remove()
    await elsewhere.remove()
  })

  const running = () => ['--server', server.url]
  const stopped = () => ['--data', folder.path]

  before(async () => {
    const url = new URL(await server.started)
    url.username = admin.name
    url.password = admin.password
    server.url = url.href
  })

  /** Commands that work on folders. */
  const onFolder = [['backup', path.join(os.tmpdir(), 'never.backup')], ['export', '--to', path.join(os.tmpdir(), 'never-exported')], ['check'], ['compact'], ['user', 'list']]

  /** Names that a command has left beside a file. */
  const leftovers = () => fs.readdirSync(elsewhere.path).filter(name => /draft|restoring/.test(name))

  it('says that it does not know a command, and which one may be meant', async () => {
    for (const [words, said] of [
      [['serv'], /^error: unknown command 'serv'\n\(Did you mean serve\?\)\n$/],
      [['exprot', '--to', 'x'], /^error: unknown command 'exprot'\n\(Did you mean export\?\)\n$/],
      [['nonsense'], /^error: unknown command 'nonsense'\n$/],
      [['serve', 'todos'], /too many arguments for 'serve'/]
    ]) {
      const { code, stderr } = await potoroo(words)
      assert.match(stderr, said)
      assert.equal(code, 1)
    }
  })

  it('says where options are for npm, which keeps those before --', async () => {
    const { npm_lifecycle_event: before } = process.env
    try {
      for (const [event, hint] of [['start', 'With npm, options come behind --: npm start -- --port 6102\n'], ['npx', '']]) {
        process.env.npm_lifecycle_event = event
        const { code, stderr } = await potoroo(['serve', '6102'])
        assert.deepStrictEqual([code, stderr], [1, `error: too many arguments for 'serve'. Expected 0 arguments but got 1.\n${hint}`])
      }
    } finally {
      if (before === undefined) delete process.env.npm_lifecycle_event
      else process.env.npm_lifecycle_event = before
    }
  })

  it('names options that a command has, where a folder is in use', async () => {
    assert.match((await potoroo(['check', ...stopped()])).stderr, /stop the server, or name it with --server http/)
    assert.match((await potoroo(['compact', ...stopped()])).stderr, /stop the server, or name it with --server http/)
    assert.match((await potoroo(['export', '--to', path.join(os.tmpdir(), 'never-exported'), ...stopped()])).stderr, /stop the server, or name it with --server http/)
    assert.match((await potoroo(['salvage', ...stopped(), '--to', path.join(elsewhere.path, 'new')])).stderr, /stop the server$|in use/m)
  })

  it('names a server by --server, and by what that was called before', async () => {
    const exported = path.join(elsewhere.path, 'same.jsonl')
    for (const flag of ['--server', '--from']) {
      const { code, stderr } = await potoroo(['export', 'todos', '--to', exported, flag, server.url])
      assert.match(stderr, /^todos: 50 documents/)
      assert.equal(code, 0)
    }
    for (const flag of ['--server', '--online']) assert.equal((await potoroo(['check', flag, server.url])).code, 0)
    for (const flag of ['--server', '--to']) assert.match((await potoroo(['import', exported, 'todos', '--verify', flag, server.url])).stdout, /no differences/)
    fs.rmSync(exported)
  })

  it('writes nothing among what it keeps', async () => {
    const settings = path.join(folder.path, 'potoroo.ini')
    const before = fs.readFileSync(settings, 'utf8')
    for (const file of [settings, path.join(folder.path, 'classic-level', 'MANIFEST')]) {
      const { code, stderr } = await potoroo(['backup', file, ...running()])
      assert.match(stderr, /is a data folder, or part of one/)
      assert.equal(code, 1)
    }
    const { code } = await potoroo(['export', '--to', folder.path, '--server', server.url])
    assert.equal(code, 1)
    assert.equal(fs.readFileSync(settings, 'utf8'), before)
    assert.equal((await potoroo(['backup', file, ...running()])).code, 0)
    fs.rmSync(file)
  })

  it('teaches each of its commands', async () => {
    const { stdout } = await potoroo(['--help'])
    const commands = ['backup', 'restore', 'check', 'compact', 'export', 'rotate-key', 'salvage', 'user']
    for (const command of ['serve', 'import', ...commands]) assert.match(stdout, new RegExp(`^ +${command} `, 'm'))
    await Promise.all(commands.map(async command => {
      const help = await potoroo([command, '--help'])
      assert.deepStrictEqual([help.code, help.stderr], [0, ''])
      assert.match(help.stdout, new RegExp(`Examples:\n  \\$ potoroo ${command} `))
    }))
  })

  it('refuses a folder that a server has open, and leaves nothing', async () => {
    for (const { code, stdout, stderr } of await Promise.all(onFolder.map(words => potoroo([...words, ...stopped()])))) {
      assert.deepStrictEqual([code, stdout], [1, ''])
      assert.match(stderr, /^potoroo: the databases in .* are in use by another process; stop the server, or /)
    }
    assert.deepStrictEqual(leftovers(), [])
    assert.ok(!fs.existsSync(onFolder[0][1]) && !fs.existsSync(onFolder[1][2]))
  })

  it('refuses a folder without databases', async () => {
    const nothing = ['--data', path.join(elsewhere.path, 'nothing')]
    for (const { code, stderr } of await Promise.all(onFolder.map(words => potoroo([...words, ...nothing])))) {
      assert.strictEqual(code, 1)
      assert.match(stderr, /^potoroo: there are no databases in /)
    }
    assert.ok(!fs.existsSync(nothing[1]))
  })

  it('says who is wanted, that the password is wrong, and when nobody answers', async () => {
    const nameless = await potoroo(['backup', file, '--server', server.url.replace(/[^/]*@/, '')])
    assert.deepStrictEqual([nameless.code, nameless.stderr], [1, 'potoroo: the server wants the name and password of an administrator: have them in ~/.netrc, or as POTOROO_CREDENTIALS=name:password in the environment\n'])
    for (const words of [['backup', file], ['user', 'list'], ['check'], ['status']]) {
      const wrong = await potoroo([...words, '--server', server.url.replace(/:[^:@]*@/, ':wrong@')])
      assert.deepStrictEqual([wrong.code, wrong.stderr], [1, `potoroo: the server does not take the name and password of ${admin.name}: Name or password is incorrect.\n`])
    }
    const nobody = await potoroo(['user', 'list', '--server', 'http://127.0.0.1:1'])
    assert.strictEqual(nobody.code, 1)
    assert.match(nobody.stderr, /^potoroo: http:\/\/127\.0\.0\.1:1 does not answer: nobody listens there$/m)
    assert.deepStrictEqual(leftovers(), [])
  })

  it('keeps what users there are', async () => {
    const secret = 'bertas password'
    assert.deepStrictEqual(await potoroo(['user', 'add', 'berta', '--role', 'editors', ...running()], `${secret}\n`), { code: 0, stdout: 'berta was added\n', stderr: '' })
    const bertas = ['--server', server.url.replace(/[^/]*@/, `berta:${encodeURIComponent(secret)}@`)]
    for (const words of [['check'], ['backup', file], ['user', 'list']]) {
      assert.deepStrictEqual(await potoroo([...words, ...bertas]), { code: 1, stdout: '', stderr: 'potoroo: berta is no administrator of the server, and this is for administrators\n' })
    }
    assert.strictEqual((await potoroo(['user', 'add', 'berta', ...running()], 'x\n')).code, 1)
    assert.strictEqual((await potoroo(['user', 'list', ...running()])).stdout, `${admin.name}\tadministrator\nberta\teditors\n`)
    const session = async password => (await new HttpClient(await server.started, { name: 'berta', password }).request('GET', '/_session')).status
    assert.strictEqual(await session(secret), 200)
    assert.strictEqual((await potoroo(['user', 'password', 'berta', ...running()], 'another\n')).code, 0)
    assert.deepStrictEqual([await session(secret), await session('another')], [401, 200])
    assert.deepStrictEqual(await potoroo(['user', 'password', 'berta', ...running()]), { code: 1, stdout: '', stderr: 'potoroo: a password is needed, on the terminal or as the first line of standard input\n' })
    assert.deepStrictEqual(await potoroo(['user', 'remove', 'nobody', ...running()]), { code: 1, stdout: '', stderr: 'potoroo: there is no user nobody\n' })
    assert.match((await potoroo(['user', 'add', 'berta', ...running()], 'another\n')).stderr, /^potoroo: there is a user berta already; potoroo user password berta /)
    for (const name of ['', 'a:b']) {
      for (const admin of [[], ['--admin']]) {
        assert.deepStrictEqual(await potoroo(['user', 'add', name, ...admin, ...running()], 'secret\n'), { code: 1, stdout: '', stderr: 'potoroo: a name has at least one character, and no colon\n' })
      }
    }
    assert.match((await potoroo(['user', 'remove', admin.name, ...running()])).stderr, /the last administrator/)
    assert.strictEqual((await potoroo(['user', 'add', 'chief', '--admin', ...running()], 'chiefs password\n')).code, 0)
    assert.strictEqual((await potoroo(['user', 'remove', 'chief', ...running()])).code, 0)
  })

  it('compacts', async () => {
    const { _rev } = await client.ask('GET', '/todos/1')
    await client.ask('PUT', '/todos/1', { _rev, text: '' })
    const before = (await client.ask('GET', '/todos')).sizes.file
    const { code, stdout } = await potoroo(['compact', 'todos', ...running()])
    assert.strictEqual(code, 0)
    assert.match(stdout, /^todos: .* before, .* now\n$/)
    assert.ok((await client.ask('GET', '/todos')).sizes.file < before - 5000)
    const missing = await potoroo(['compact', 'nothing', ...running()])
    assert.deepStrictEqual([missing.code, missing.stderr], [1, 'potoroo: there is no database nothing\n'])
  })

  it('backs a server up that goes on writing, and restores that moment, in another storage too', async () => {
    const done = new AbortController()
    const writes = (async () => { for (let i = 0; !done.signal.aborted; i++) await client.ask('PUT', `/todos/later-${i}`, { i }) })()
    const { code, stdout, stderr } = await potoroo(['backup', file, ...running()])
    done.abort()
    await writes
    assert.deepStrictEqual([code, stdout], [0, ''])
    assert.match(stderr, /^[\d,]+ entries, [\d.]+ KiB\n$/)
    assert.strictEqual(fs.statSync(file).mode & 0o777, 0o600)
    const there = path.join(elsewhere.path, 'restored')
    assert.strictEqual((await potoroo(['restore', file, '--data', there, '--storage', 'pmem', '--size', '64M', '--allow-volatile'])).code, 0)
    assert.deepStrictEqual(await potoroo(['check', '--data', there]), { code: 0, stdout: '', stderr: 'No problems.\n' })
    const restored = new DataFolder('auto', { iterations: 0 })
    fs.rmdirSync(restored.path)
    restored.path = there
    const other = await restored.start({ withAdmin: false })
    const copy = new HttpClient(await other.started, admin)
    const { rows } = await copy.ask('GET', '/todos/_all_docs?endkey="later-"&include_docs=true&attachments=true')
    assert.deepStrictEqual(rows, (await client.ask('GET', '/todos/_all_docs?endkey="later-"&include_docs=true&attachments=true')).rows)
    const later = (await copy.ask('GET', '/todos/_all_docs?startkey="later-"')).rows
    assert.deepStrictEqual(later.map(({ id }) => Number(id.slice(6))).sort((a, b) => a - b), later.map((_, i) => i), 'those written until one moment, and none after')
    assert.deepStrictEqual(await copy.ask('GET', '/todos/_security'), await client.ask('GET', '/todos/_security'))
    assert.strictEqual((await copy.ask('GET', '/')).uuid, (await client.ask('GET', '/')).uuid)
    await restored.remove()
  })

  it('gives a backup and an export their names when they are durable', async () => {
    const recorded = async words => (await potoroo(words, '', ['--require', path.join(__dirname, 'record-durability.js')])).stderr
      .split('\n').filter(line => /^(flushed|renamed) .*draft$/.test(line)).map(line => line.split(' ')[0])
    assert.deepStrictEqual(await recorded(['backup', path.join(elsewhere.path, 'durable.backup'), ...running()]), ['flushed', 'renamed'])
    assert.deepStrictEqual(await recorded(['export', 'todos', '--to', path.join(elsewhere.path, 'durable.jsonl'), '--server', server.url]), ['flushed', 'renamed'])
  })

  it('restores nothing of a backup that is cut, changed or none, nor where something is', async () => {
    const bytes = fs.readFileSync(file)
    const damaged = path.join(elsewhere.path, 'damaged')
    const target = path.join(elsewhere.path, 'target')
    const flipped = Buffer.from(bytes)
    flipped[bytes.length >> 1] ^= 1
    for (const [content, reason] of [[bytes.subarray(0, -10), /cut short/], [bytes.subarray(0, 100000), /cut short/], [flipped, /checksum/], [Buffer.from('no backup'), /no backup/]]) {
      fs.writeFileSync(damaged, content)
      const { code, stderr } = await potoroo(['restore', damaged, '--data', target, '--storage', 'classic-level', '--allow-volatile'])
      assert.strictEqual(code, 1)
      assert.match(stderr, reason)
      assert.ok(!fs.existsSync(target))
    }
    assert.match((await potoroo(['restore', file, ...stopped()])).stderr, /there is something in .* already/)
    assert.deepStrictEqual(leftovers(), [])
  })

  it('leaves nothing half done when it is stopped', async () => {
    const target = path.join(elsewhere.path, 'target')
    const child = spawn(process.execPath, [program, 'restore', '-', '--data', target, '--storage', 'classic-level', '--allow-volatile'])
    child.stdin.on('error', () => {})
    let errors = ''
    child.stderr.setEncoding('utf8').on('data', text => { errors += text })
    const watched = fs.watch(elsewhere.path)
    child.stdin.write(fs.readFileSync(file).subarray(0, 300000))
    while (leftovers().length === 0) await once(watched, 'change')
    watched.close()
    child.kill('SIGINT')
    child.stdin.write(fs.readFileSync(file).subarray(300000))
    const [code] = await once(child, 'close')
    assert.deepStrictEqual([code, errors], [130, 'potoroo: stopped; nothing is left half done\n'])
    assert.deepStrictEqual(leftovers(), [])
    assert.ok(!fs.existsSync(target))
  })

  it('does on a folder what it does on a server', async () => {
    await server.end('SIGTERM')
    assert.strictEqual((await potoroo(['backup', file, ...stopped()])).code, 0)
    assert.strictEqual((await potoroo(['check', ...stopped()])).code, 0)
    assert.strictEqual((await potoroo(['compact', ...stopped()])).code, 0)
    assert.strictEqual((await potoroo(['user', 'list', ...stopped()])).stdout, `${admin.name}\tadministrator\nberta\teditors\n`)
  })

  it('notes what a crash left, which is no problem', async () => {
    const { openStorage } = require('../../server/lib/storage/open-storage')
    const { level, close } = await openStorage(/** @type {any} */ ({ folder: folder.path, storage: 'classic-level', allowVolatile: true }))
    const [key] = await level.keys({ gte: 'databases/b', limit: 1 }).all()
    const [store] = /^databases\/b\d+\//.exec(key)
    await level.batch([`${store}ucut`, `${store}ccut!a0`].map(key => ({ type: 'put', key, value: '' })))
    await close()
    const { code, stdout, stderr } = await potoroo(['check', ...stopped()])
    assert.deepStrictEqual([code, stdout], [0, ''])
    assert.match(stderr, /^Note: .*content cut.*\nNo problems\. 1 leftover of a crash, which the next start removes\.\n$/)
  })

  it('says what is wrong with a database', async () => {
    const { openStorage } = require('../../server/lib/storage/open-storage')
    const { level, close } = await openStorage(/** @type {any} */ ({ folder: folder.path, storage: 'classic-level', allowVolatile: true }))
    const [key] = await level.keys({ gte: 'databases/b', limit: 1 }).all()
    await level.put(`${key}!`, 'nobody\'s')
    await close()
    const { code, stdout, stderr } = await potoroo(['check', ...stopped()])
    assert.strictEqual(code, 2)
    assert.notStrictEqual(stdout, '')
    assert.match(stderr, /\d+ problems?\. 1 leftover of a crash/)
  })
})
