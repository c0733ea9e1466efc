'use strict'

const assert = require('node:assert')
const { execFile } = require('node:child_process')
const crypto = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')
const zlib = require('node:zlib')
const { DocumentStore } = require('@potoroo/document-store')
const { findSources, importDatabase, StoreTarget } = require('@potoroo/import')
const { MemoryLevel } = require('memory-level')
const { hostileBytes } = require('../../packages/pmemobj/test/hostile-bytes')
const { openStorage } = require('../../server/lib/storage/open-storage')
const { ServerDatabases } = require('../../server/lib/databases/server-databases')
const { Config } = require('../../server/lib/config/config')
const { DataFolder } = require('./data-folder')

const program = path.resolve(__dirname, '../../server/bin/potoroo.js')
const MAGIC = 'potoroo backup 1\n'

/** @returns {Promise<{ code: number, stdout: string, stderr: string }>} */
function potoroo (...words) {
  return new Promise(resolve => {
    execFile(process.execPath, [program, ...words], { maxBuffer: 2 ** 26 }, (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), stdout, stderr }))
  })
}

/** Text that means something in some file of ours, or to those who read it. */
const TEXTS = [
  '{"attachment":"file","at":0,"data":"aGVsbG8="}', '{"end":true,"lines":1,"sha256":""}', '\n{"_id":"_local/injected","_rev":"0-1"}\n', '{"_id":"_local/',
  '{"potoroo_export":1,"name":"injected"}', MAGIC, 'PotBckup\u0001\u0000\u0000\u0000', 'PotSeald', 'Potoroo\u0000', 'mdatabase', 'databases/b1/', '\u0000undo', '\nDATA=END\n',
  '__proto__', 'constructor', 'toString', '../../up', '/etc/passwd', '%2F', '%00', '\u2028', '"\\', ' ', '+', '?rev=1-x', 'a/b', '\u{1f998}', '\r\n\r\n--boundary'
]

describe('hostile content', function () {
  this.timeout(600_000)
  let origin, work, contents, files

  before(async () => {
    origin = new DataFolder('pmem')
    work = new DataFolder('pmem', { iterations: 0 })
    const { 'pool that is encrypted': sealed, 'pool of the layout version before': earlier, ...rest } = await hostileBytes(work.path)
    files = rest
    // A backup and an export of a server, too.
    await withDatabases(origin.path, 'pmem', async databases => {
      await fill(await databases.create('todos'))
    })
    const [backup, lines] = [path.join(work.path, 'first.backup'), path.join(work.path, 'first.jsonl')]
    await done('backup', backup, '--data', origin.path)
    await done('export', 'todos', '--to', lines, '--data', origin.path)
    files['backup of a server'] = fs.readFileSync(backup)
    files['end of a backup of a server'] = files['backup of a server'].subarray(-40)
    files.export = fs.readFileSync(lines)
    files['end of an export'] = files.export.subarray(files.export.lastIndexOf('\n', -2))
    await withDatabases(origin.path, 'pmem', async databases => {
      await fill(await databases.create('more/of$it'))
      contents = await contentsOf(databases)
    })
    assert.ok(Object.keys(contents['more/of$it']).length > TEXTS.length)
  })

  after(async () => {
    await origin.remove()
    await work.remove()
  })

  async function done (...words) {
    const result = await potoroo(...words)
    assert.strictEqual(result.code, 0, result.stderr)
    return result
  }

  async function withDatabases (folder, storage, run) {
    const { level, close } = await openStorage(/** @type {any} */ ({ folder, storage, allowVolatile: true }))
    const databases = await ServerDatabases.open(level, new Config(path.join(folder, 'potoroo.ini')), {})
    try {
      return await run(databases, level)
    } finally {
      await databases.close()
      await close()
    }
  }

  async function fill (store) {
    const attachments = new Map(Object.entries(files).map(([name, data]) => [name, { contentType: 'application/octet-stream', data }]))
    const documents = TEXTS.flatMap(text => [text, `_design/${text}`]).map((id, i) => ({
      _id: id,
      ...Object.defineProperty({}, TEXTS[i % TEXTS.length].replace(/^_+/, ''), { value: TEXTS, enumerable: true }),
      attachment: 'file',
      at: 0,
      end: true,
      _attachments: Object.fromEntries(TEXTS.filter(name => !name.startsWith('_')).slice(i % 5, i % 5 + 4).map(name => [name, { content_type: name.startsWith('{') ? 'text/plain' : 'x/y', data: Buffer.from(id + name).toString('base64') }]))
    })).filter(({ _id: id }) => !id.startsWith('__'))
    documents.push({ _id: 'files', _attachments: Object.fromEntries([...attachments].map(([name, { contentType, data }]) => [name, { content_type: contentType, data: data.toString('base64') }])) })
    const results = await store.write(documents)
    for (const [i, result] of results.entries()) assert.ok(result.ok ?? result.rev, `${documents[i]._id}: ${JSON.stringify(result)}`)
    for (const result of await store.write(TEXTS.map(text => ({ _id: `_local/${text}`, text })))) assert.ok(result.rev, String(result))
  }

  /** All documents with the digests of what is attached, as it is read. */
  async function contentsOf (databases) {
    const all = {}
    for (const name of databases.list().filter(name => !name.startsWith('_'))) {
      const store = await databases.get(name)
      const documents = {}
      for await (const page of store.changes({ style: 'all_docs', pending: false })) {
        for (const { id, changes } of page) {
          const [{ ok }] = await store.openRevs(id, changes.map(({ rev }) => rev), { revs: true })
          const attached = {}
          for (const file of Object.keys(ok.attachments ?? {})) {
            const attachment = await store.getAttachment(id, file, { rev: ok.rev })
            attached[`of ${file}`] = crypto.createHash('sha256').update(await attachment.read()).digest('hex')
          }
          documents[`of ${id}`] = { rev: ok.rev, revisions: ok.revisions, body: ok.body, attached }
        }
      }
      const locals = await store.allLocal({ limit: 1000 })
      // An import notes there how far it came, and revisions of what it brings count from the start.
      for (const { id, body } of locals) if (!id.startsWith('_local/potoroo-import-')) documents[`of ${id}`] = { body }
      all[name] = documents
    }
    return all
  }

  async function assertSame (folder, storage) {
    assert.deepStrictEqual(await withDatabases(folder, storage, contentsOf), contents)
  }

  /** As they lie there: who opens the databases notes that. */
  async function entriesOf (folder, storage) {
    const { level, close } = await openStorage(/** @type {any} */ ({ folder, storage, allowVolatile: true }))
    const hash = crypto.createHash('sha256')
    let count = 0
    for await (const [key, value] of level.iterator({ keyEncoding: 'buffer', valueEncoding: 'buffer' })) {
      // Whether it was closed.
      if (key.equals(Buffer.from('updates/m'))) continue
      hash.update(Buffer.from(Uint32Array.of(key.length, value.length).buffer)).update(key).update(value)
      count++
    }
    await close()
    return { count, sha256: hash.digest('hex') }
  }

  for (const storage of ['pmem', 'classic-level']) {
    it(`comes back from a backup, byte for byte, in ${storage}`, async () => {
      const [file, to] = [path.join(work.path, 'all.backup'), path.join(work.path, `restored-${storage}`)]
      await done('backup', file, '--data', origin.path)
      await done('restore', file, '--data', to, '--storage', storage, '--allow-volatile')
      assert.deepStrictEqual(await entriesOf(to, storage), await entriesOf(origin.path, 'pmem'))
      await assertSame(to, storage)
      fs.rmSync(to, { recursive: true })
    })
  }

  it('comes back from a backup that is encrypted', async () => {
    const keyFile = path.join(work.path, 'key')
    fs.writeFileSync(keyFile, crypto.randomBytes(32), { mode: 0o600 })
    const [plain, sealed] = ['plain', 'sealed'].map(name => path.join(work.path, `${name}.backup`))
    await done('backup', plain, '--data', origin.path)
    const [first, second] = [path.join(work.path, 'restored-1'), path.join(work.path, 'restored-2')]
    await done('restore', plain, '--data', first, '--key-file', keyFile, '--allow-volatile')
    await done('backup', sealed, '--data', first)
    await done('restore', sealed, '--data', second, '--key-file', keyFile, '--allow-volatile')
    await assertSame(second, 'pmem')
    for (const folder of [first, second]) fs.rmSync(folder, { recursive: true })
  })

  it('comes back from an export', async () => {
    const [exported, to] = [path.join(work.path, 'exported'), path.join(work.path, 'imported')]
    await done('export', '--to', exported, '--data', origin.path)
    const into = ['--data', to, '--storage', 'classic-level', '--allow-volatile']
    await done('import', exported, ...into)
    await done('import', exported, ...into, '--verify')
    await assertSame(to, 'classic-level')
    fs.rmSync(to, { recursive: true })
  })

  describe('of a backup', () => {
    let small, target, damaged

    before(async () => {
      target = path.join(work.path, 'target')
      damaged = path.join(work.path, 'damaged.backup')
      const entries = Object.entries(files).filter(([, bytes]) => bytes.length < 100_000).map(([name, bytes]) => [Buffer.from(name), bytes]).sort(([a], [b]) => Buffer.compare(a, b))
      small = Buffer.concat([Buffer.from(MAGIC), frame(0, { created: 'now', version: '1' }), frame(1, '[couchdb]\nuuid = x\n'), ...entries.map(entry => frame(2, entryOf(...entry))), frame(3, { entries: entries.length })])
    })

    function frame (kind, content) {
      const payload = Buffer.concat([Buffer.of(kind), Buffer.isBuffer(content) ? content : Buffer.from(typeof content === 'string' ? content : JSON.stringify(content))])
      const head = Buffer.alloc(8)
      head.writeUInt32LE(payload.length, 0)
      head.writeUInt32LE(zlib.crc32(payload), 4)
      return Buffer.concat([head, payload])
    }

    function entryOf (key, value, lengths = [key.length, value.length]) {
      return Buffer.concat([Buffer.from(Uint32Array.from(lengths).buffer), key, value])
    }

    /** In this process: a command takes half a second to start. */
    async function outcome (bytes) {
      const { readBackup } = require('../../server/lib/backup/read')
      const chunks = Array.from({ length: Math.ceil(bytes.length / 1000) }, (_, i) => bytes.subarray(i * 1000, i * 1000 + 1000))
      const found = []
      try {
        for await (const { entries = [] } of readBackup(async function * () { yield * chunks }())) found.push(...entries)
      } catch (error) {
        assert.strictEqual(error.code, 'BACKUP_DAMAGED', error.stack)
        return error.message
      }
      return found
    }

    it('is what was written, and refused wherever it ends early', async () => {
      const entries = await outcome(small)
      for (const [key, value] of entries) assert.ok(files[key.toString()].equals(value))
      assert.ok(entries.length > 10)
      for (let end = 0; end < small.length; end += end < 500 || end > small.length - 200 ? 1 : 97) assert.strictEqual(typeof await outcome(small.subarray(0, end)), 'string', `${end}`)
    })

    it('is refused where lengths lie, parts are missing or twice, or are in another order, though checksums hold', async () => {
      const head = [Buffer.from(MAGIC), frame(0, { created: 'now', version: '1' })]
      const [a, b] = ['a', 'b'].map(text => entryOf(Buffer.from(text), Buffer.from('value')))
      const end = count => frame(3, { entries: count })
      const config = frame(1, '[couchdb]\nuuid = x\n')
      const refused = {
        'no header': [Buffer.from(MAGIC), frame(2, a), end(1)],
        'no header at all': [Buffer.from(MAGIC), end(0)],
        'a header twice': [...head, head[1], end(0)],
        'a header that is none': [Buffer.from(MAGIC), frame(0, 'null'), end(0)],
        'a header that is not JSON': [Buffer.from(MAGIC), frame(0, '{'), end(0)],
        'a configuration twice': [...head, config, config, end(0)],
        'a configuration too late': [...head, frame(2, a), config, end(1)],
        'a configuration that is cut': [...head, frame(1, '[couchdb]\nuuid'), end(0)],
        'a configuration that is none': [...head, frame(1, Buffer.of(91, 255, 254, 93, 10)), end(0)],
        'entries out of order': [...head, frame(2, b), frame(2, a), end(2)],
        'an entry twice': [...head, frame(2, Buffer.concat([a, a])), end(2)],
        'fewer entries than it says': [...head, frame(2, a), end(2)],
        'an end that says nothing': [...head, frame(2, a), frame(3, 'null')],
        'an end that is not JSON': [...head, frame(3, '')],
        'a key that is too long': [...head, frame(2, entryOf(Buffer.from('k'), Buffer.from('v'), [100, 1])), end(1)],
        'a value that is too long': [...head, frame(2, entryOf(Buffer.from('k'), Buffer.from('v'), [1, 0xffffffff])), end(1)],
        'an entry that is cut': [...head, frame(2, Buffer.concat([a, Buffer.alloc(7)])), end(1)],
        'an unknown part': [...head, frame(9, ''), end(0)],
        'an empty part': [...head, Buffer.alloc(8), end(0)],
        'a part of 4 GiB': [...head, Buffer.alloc(8, 255), end(0)],
        'more behind its end': [...head, end(0), end(0)],
        'another backup behind it': [...head, end(0), ...head, end(0)]
      }
      for (const [name, parts] of Object.entries(refused)) assert.strictEqual(typeof await outcome(Buffer.concat(parts)), 'string', name)
      assert.strictEqual((await outcome(Buffer.concat([...head, config, frame(2, Buffer.concat([a, b])), end(2)]))).length, 2)
    })

    it('makes no folder where it is refused, by the command', async () => {
      const middle = small.length >> 1
      const spliced = Buffer.concat([small.subarray(0, middle), small, small.subarray(middle)])
      const misconfigured = Buffer.concat([Buffer.from(MAGIC), frame(0, { created: 'now', version: '1' }), frame(1, '[admins\nanna = x\n'), frame(3, { entries: 0 })])
      const shared = frame(2, entryOf(Buffer.from('cluster/configuration'), Buffer.from('{"version":1}')))
      const missettled = Buffer.concat([Buffer.from(MAGIC), frame(0, { created: 'now', version: '1' }), shared, frame(3, { entries: 1 })])
      for (const bytes of [misconfigured, missettled, small.subarray(0, middle), spliced, files.backup, files['encrypted backup'], files.export]) {
        fs.writeFileSync(damaged, bytes)
        const { code, stderr } = await potoroo('restore', damaged, '--data', target, '--allow-volatile')
        assert.strictEqual(code, 1)
        assert.match(stderr, /^potoroo: .*\n$/)
        if (bytes === misconfigured) assert.match(stderr, /configuration of the backup is damaged: line 1 begins a section whose name does not end/)
        if (bytes === missettled) assert.match(stderr, /settings that servers share are damaged in the backup/)
        assert.deepStrictEqual(fs.readdirSync(work.path).filter(name => name.startsWith('target')), [])
      }
    })
  })

  it('of an export whose checksum holds is brought over or refused, line by line, and nothing else', async () => {
    const line = value => `${typeof value === 'string' ? value : JSON.stringify(value)}\n`
    const whole = lines => {
      const text = lines.map(line).join('')
      return text + line({ end: true, lines: lines.length, sha256: crypto.createHash('sha256').update(text).digest('hex') })
    }
    const header = { potoroo_export: 1, name: 'injected', update_seq: 1, revs_limit: 1000, security: {} }
    const doc = { _id: 'a', _rev: '1-a', _local_seq: 1, _revisions: { start: 1, ids: ['a'] } }
    const follows = { ...doc, _attachments: { file: { content_type: 'x/y', revpos: 1, digest: `md5-${crypto.createHash('md5').update('hello').digest('base64')}`, length: 5, follows: true } } }
    const wrong = {
      'a line that is not JSON': [header, '{'],
      'a line that is no object': [header, 'null'],
      'a document without an id': [header, { ...doc, _id: undefined }],
      'an id that is a number': [header, { ...doc, _id: 5 }],
      'no revision': [header, { ...doc, _rev: undefined }],
      'a revision that is none': [header, { ...doc, _rev: 'x' }],
      'no history': [header, { ...doc, _revisions: undefined }],
      'a history that is none': [header, { ...doc, _revisions: { start: 'x', ids: 'y' } }],
      'attachments that are none': [header, { ...doc, _attachments: 5 }],
      'an attachment that is none': [header, { ...doc, _attachments: { file: null } }],
      'content that is no text': [header, { ...doc, _attachments: { file: { content_type: 'x/y', digest: 'md5-x', length: 1, data: 5 } } }],
      'content that never follows': [header, follows],
      'content of another': [header, follows, { attachment: 'other', at: 0, data: 'aGVsbG8=' }],
      'content that is not what was said': [header, follows, { attachment: 'file', at: 0, data: 'aGVsbG9v' }],
      'content that is no text, in a line': [header, follows, { attachment: 'file', at: 0, data: {} }],
      'content before its document': [header, { attachment: 'file', at: 0, data: 'aGVsbG8=' }, follows]
    }
    const file = path.join(work.path, 'forged.jsonl')
    /** In this process: a command takes half a second to start. */
    const imported = async lines => {
      fs.writeFileSync(file, whole(lines))
      const { databases: [found] } = await findSources(file)
      const source = await found.open()
      const store = await DocumentStore.open(new MemoryLevel())
      try {
        const { skipped } = await importDatabase(source, new StoreTarget(store))
        return { count: store.docCount, said: skipped.map(({ reason }) => reason).join() }
      } catch (error) {
        return { count: store.docCount, said: `${error.code}` }
      } finally {
        await source.close()
        await store.close()
      }
    }
    for (const [name, lines] of Object.entries(wrong)) {
      const { count, said } = await imported(lines)
      assert.strictEqual(count, 0, name)
      assert.match(said, /^(EXPORT_DAMAGED|INVALID_REV)$|^\w.* \w/, `${name}: ${said}`)
      assert.doesNotMatch(said, /Error|Cannot read|undefined/, name)
    }
    assert.deepStrictEqual(await imported([header, follows, { attachment: 'file', at: 0, data: 'aGVsbG8=' }]), { count: 1, said: '' })
  })
})
