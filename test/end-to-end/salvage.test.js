'use strict'

const assert = require('node:assert')
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const { DataFolder, admin } = require('./data-folder')
const { HttpClient } = require('./http-client')

const program = path.resolve(__dirname, '../../server/bin/potoroo.js')

async function potoroo (words) {
  const child = spawn(process.execPath, [program, ...words])
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr']) child[name].setEncoding('utf8').on('data', text => { output[name] += text })
  const [code] = await once(child, 'close')
  return { code, ...output }
}

const COUNT = 300
const textOf = i => `the text of ${i} ${String(i).repeat(60)}`

for (const storage of ['pmem', 'classic-level']) {
  describe(`potoroo salvage, ${storage}`, function () {
    this.timeout(600_000)
    const folders = []
    let original

    before(async () => {
      original = folderOf()
      const server = await original.start()
      const client = new HttpClient(await server.started, admin)
      for (const name of ['todos', 'notes']) await client.ask('PUT', `/${name}`)
      await client.ask('POST', '/todos/_bulk_docs', { docs: Array.from({ length: COUNT }, (_, i) => ({ _id: `todo ${1000 + i}`, text: textOf(i) })) })
      await client.ask('PUT', '/todos/with', { text: 'with a note', _attachments: { 'note.bin': { content_type: 'application/octet-stream', data: Buffer.alloc(5000, 'NOTE').toString('base64') } } })
      await client.ask('PUT', '/todos/_security', { admins: {}, members: { names: ['berta'] } })
      await client.ask('PUT', '/todos/_local/checkpoint', { seq: 7 })
      await client.ask('PUT', '/notes/only', { text: 'only' })
      await client.ask('PUT', '/_users/org.couchdb.user:berta', { name: 'berta', password: 'secret', roles: [], type: 'user' })
      await client.ask('PUT', '/todos/_design/views', { views: { all: { map: 'function (doc) { emit(doc.text.length, null) }' } } })
      assert.strictEqual((await client.ask('GET', '/todos/_design/views/_view/all')).total_rows, COUNT + 1)
      await server.end('SIGTERM')
    })

    after(async () => { for (const folder of folders) await folder.remove() })

    function folderOf () {
      const folder = new DataFolder(storage)
      folders.push(folder)
      return folder
    }

    /** A copy of the data folder, some of whose files are changed, and what all files have in them. */
    function damaged (change) {
      const folder = folderOf()
      fs.cpSync(original.path, folder.path, { recursive: true })
      for (const file of folder.files()) if (change(file)) break
      return { folder, bytes: new Map(folder.files().map(file => [file, fs.readFileSync(file)])) }
    }

    /** Changes a byte after each place of a text: the log that was may have it, too. */
    function flip (text) {
      return file => {
        const bytes = fs.readFileSync(file)
        for (let at = bytes.indexOf(text); at !== -1; at = bytes.indexOf(text, at + 1)) bytes[at + text.length] ^= 1
        fs.writeFileSync(file, bytes)
      }
    }

    async function salvage ({ folder, bytes }, ...words) {
      const to = folderOf()
      fs.rmSync(to.path, { recursive: true })
      const result = await potoroo(['salvage', '--data', folder.path, '--to', to.path, ...words])
      for (const [file, before] of bytes) assert.ok(fs.readFileSync(file).equals(before), `${file} was changed`)
      assert.deepStrictEqual(folder.files(), [...bytes.keys()])
      return { to, ...result }
    }

    async function served (folder) {
      assert.strictEqual((await potoroo(['check', '--data', folder.path])).code, 0)
      const server = await folder.start()
      return { server, client: new HttpClient(await server.started, admin) }
    }

    async function assertServes (folder, expected) {
      const { server, client } = await served(folder)
      const { rows } = await client.ask('GET', '/todos/_all_docs?include_docs=true')
      const found = new Map(rows.map(({ id, doc }) => [id, doc]))
      for (let i = 0; i < COUNT; i++) {
        const id = `todo ${1000 + i}`
        assert.strictEqual(found.get(id)?.text, expected.lost.includes(id) ? undefined : textOf(i), id)
      }
      assert.strictEqual(found.get('with').text, 'with a note')
      assert.strictEqual('_attachments' in found.get('with'), expected.attachment)
      if (expected.attachment) assert.strictEqual(Buffer.from((await client.ask('GET', '/todos/_all_docs?include_docs=true&attachments=true&key="with"')).rows[0].doc._attachments['note.bin'].data, 'base64').toString(), 'NOTE'.repeat(1250))
      assert.strictEqual((await client.ask('GET', '/notes/only')).text, 'only')
      assert.deepStrictEqual((await client.ask('GET', '/todos/_security')).members, { names: ['berta'] })
      assert.strictEqual((await client.ask('GET', '/todos/_local/checkpoint')).seq, 7)
      assert.strictEqual((await client.ask('GET', '/todos/_design/views/_view/all')).total_rows, COUNT + 1 - expected.lost.length)
      const changes = await client.ask('GET', '/todos/_changes')
      assert.strictEqual(changes.results.length, COUNT + 2 - expected.lost.length)
      const berta = new HttpClient(await server.started, { name: 'berta', password: 'secret' })
      assert.strictEqual((await berta.ask('GET', '/todos')).doc_count, COUNT + 2 - expected.lost.length)
      await server.end('SIGTERM')
    }

    it('brings all of one that is whole', async () => {
      const { to, code, stdout, stderr } = await salvage(damaged(() => true))
      assert.deepStrictEqual([code, stdout], [0, ''])
      assert.match(stderr, /^Nothing is (known to be )?lost\.\n$/)
      await assertServes(to, { lost: [], attachment: true })
    })

    it('refuses a target that is there, a folder without databases, and one in use, and leaves nothing', async () => {
      const { folder } = damaged(() => true)
      const there = await potoroo(['salvage', '--data', folder.path, '--to', original.path])
      assert.deepStrictEqual([there.code, there.stdout], [1, ''])
      assert.match(there.stderr, /there is something in/)
      const none = await potoroo(['salvage', '--data', path.join(folder.path, 'nowhere'), '--to', path.join(folder.path, 'new')])
      assert.match(none.stderr, /there are no databases in/)
      const server = await folder.start()
      const inUse = await potoroo(['salvage', '--data', folder.path, '--to', path.join(folder.path, 'new')])
      assert.strictEqual(inUse.code, 1)
      assert.match(inUse.stderr, /in use/)
      await server.end('SIGTERM')
      assert.deepStrictEqual(fs.readdirSync(folder.path).filter(name => /new|salvaging/.test(name)), [])
    })

    if (storage === 'pmem') {
      it('brings all but a document that is damaged, and says which it is', async () => {
        const { to, code, stdout } = await salvage(damaged(flip('"text":"the text of 77')))
        assert.match(stdout, /^todos: document "todo 1077" at 1-[0-9a-f]{32} is lost\n$/)
        assert.strictEqual(code, 2)
        await assertServes(to, { lost: ['todo 1077'], attachment: true })
      })

      it('is advised by the other commands, which name all that is damaged', async () => {
        const { folder } = damaged(file => {
          for (const text of ['"text":"the text of 77', '"text":"the text of 78', 'NOTE'.repeat(1000)]) flip(text)(file)
        })
        const checked = await potoroo(['check', '--data', folder.path])
        const lines = checked.stdout.trimEnd().split('\n').sort()
        assert.deepStrictEqual(lines, [
          'todos: The attachment "note.bin" of document "with" is damaged',
          'todos: The document "todo 1077" is damaged',
          'todos: The document "todo 1078" is damaged'
        ])
        assert.deepStrictEqual([checked.code, checked.stderr], [2, '3 problems.\n'])
        const place = folderOf().path
        fs.rmSync(path.join(place, 'potoroo.ini'))
        for (const words of [['backup', path.join(place, 'a.backup')], ['backup', '-'], ['export', '--to', place], ['export', 'todos', '--to', '-']]) {
          const { code, stdout, stderr } = await potoroo([...words, '--data', folder.path])
          assert.match(stderr, /^potoroo: .*todos: The document "todo 1077" is damaged; .*potoroo check --data .* potoroo salvage /m)
          assert.strictEqual(code, 1)
          assert.doesNotMatch(stdout, /"end":true/)
        }
        assert.deepStrictEqual(fs.readdirSync(place), [])
      })

      it('takes an attachment that is damaged out of its document, and says so in JSON', async () => {
        const { to, code, stdout } = await salvage(damaged(flip('NOTE'.repeat(1000))), '--json')
        const { digest, rev, ...loss } = JSON.parse(stdout)
        assert.deepStrictEqual(loss, { database: 'todos', kind: 'attachment', id: 'with', name: 'note.bin' })
        assert.match(`${digest} ${rev}`, /^md5-\S+ 1-/)
        assert.strictEqual(code, 2)
        await assertServes(to, { lost: [], attachment: false })
      })

      it('brings all of a pool that does not open for want of its first megabytes', async () => {
        const broken = damaged(file => {
          if (!file.endsWith('000000.pmem')) return false
          const handle = fs.openSync(file, 'r+')
          fs.writeSync(handle, Buffer.alloc(2 ** 20), 0, 2 ** 20, 0)
          fs.closeSync(handle)
          return true
        })
        const { to } = await salvage(broken)
        await assertServes(to, { lost: [], attachment: true })
      })
    } else {
      it('brings all of one that has lost its CURRENT and MANIFEST', async () => {
        const broken = damaged(() => false)
        for (const file of [...broken.bytes.keys()]) {
          if (!/CURRENT|MANIFEST/.test(file)) continue
          fs.rmSync(file)
          broken.bytes.delete(file)
        }
        const { to } = await salvage(broken)
        await assertServes(to, { lost: [], attachment: true })
      })

      it('makes a sound folder of one whose log is cut short', async () => {
        const broken = damaged(file => {
          if (!/\d+\.log$/.test(file) || fs.statSync(file).size < 1000) return false
          fs.truncateSync(file, fs.statSync(file).size >> 1)
          return true
        })
        const { to } = await salvage(broken)
        const { server, client } = await served(to)
        const { rows } = await client.ask('GET', '/todos/_all_docs?include_docs=true')
        for (const { id, doc } of rows) if (id.startsWith('todo ')) assert.strictEqual(doc.text, textOf(Number(id.slice(5)) - 1000))
        await server.end('SIGTERM')
      })
    }
  })
}
