'use strict'

const assert = require('node:assert')
const { fork } = require('node:child_process')
const { once } = require('node:events')
const { readFileSync, writeFileSync } = require('node:fs')
const path = require('node:path')
const fc = require('fast-check')
const { PersistentArrayBuffer } = require('pmemobj')
const { Library } = require('../../examples/midi/lib/library')
const { eventsOf, makeFile } = require('../../examples/midi/lib/midi-file')
const { temporaryFolder } = require('../temporary-folder')
const { commandOf } = require('./example-command')

const HEADER = [...Buffer.from('MThd'), 0, 0, 0, 6, 0, 0, 0, 1, 0, 96]

/** A file with one track of these bytes. */
const fileOf = (...bytes) => Uint8Array.from([...HEADER, ...Buffer.from('MTrk'), 0, 0, 0, bytes.length, ...bytes])

describe('examples/midi: standard MIDI files', () => {
  const kinds = bytes => [...eventsOf(bytes)].map(({ kind, offset }) => [kind, offset])

  it('have notes with and without a status of their own, after meta events and SysEx, too', () => {
    assert.deepStrictEqual(kinds(fileOf(0, 0x90, 60, 100, 24, 60, 0, 0, 0xff, 1, 2, 65, 66, 0, 0xf0, 2, 1, 0xf7, 0, 61, 0, 0, 0xc3, 7)),
      [['track', 22], ['note', 24], ['release', 27], ['release', 41]])
  })

  it('have times of many bytes, names and tempos', () => {
    assert.deepStrictEqual(kinds(fileOf(0xff, 0x7f, 0xff, 3, 2, 65, 66, 0, 0xff, 0x51, 3, 1, 2, 3)), [['track', 22], ['name', 27], ['tempo', 33]])
  })

  it('may have other chunks', () => {
    const other = Buffer.from('5846494800000002abcd', 'hex')
    const file = fileOf(0, 0xff, 0x2f, 0)
    assert.deepStrictEqual(kinds(Buffer.concat([file.subarray(0, 14), other, file.subarray(14), other])), [['track', 32]])
  })

  it('are refused if they are none', () => {
    for (const [bytes, message] of [
      [Buffer.from('RIFF....'), /not a MIDI file/],
      [Buffer.alloc(0), /ends too early/],
      [fileOf(0, 0x40, 0x40), /Data without a status, at byte 23/],
      [fileOf(0, 0xf0, 0x7f), /ends too early: at byte 25, 127 more are wanted/]
    ]) assert.throws(() => [...eventsOf(bytes)], message)
  })

  it('are read or refused, whatever bytes there are', () => {
    const file = makeFile(20)
    const change = fc.record({ at: fc.nat(file.length - 1), byte: fc.nat(255) })
    fc.assert(fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), fc.nat(file.length), (changes, end) => {
      const bytes = Uint8Array.from(file.subarray(0, end))
      for (const { at, byte } of changes) if (at < end) bytes[at] = byte
      try {
        for (const { offset, length } of eventsOf(bytes)) assert.ok(offset + length <= bytes.length || length > 3)
      } catch (error) {
        if (!/^(This is not|The file ends|Data without)/.test(error.message)) throw error
      }
    }), { numRuns: 2000 })
  })
})

describe('examples/midi: songs in a pool', () => {
  const folder = temporaryFolder()
  const tune = makeFile(500)
  let location
  let library

  beforeEach(() => {
    location = folder.next()
    library = new Library(location)
  })
  afterEach(() => library.close())

  function reopen () {
    library.close()
    library = new Library(location)
  }

  const bytesOf = name => Buffer.from(library.get(name).bytes)

  it('come out as they went in', () => {
    library.add('opus', tune)
    reopen()
    const song = library.get('opus')
    assert.deepStrictEqual(bytesOf('opus'), tune)
    assert.ok(song.data instanceof PersistentArrayBuffer)
    assert.ok(song.imported instanceof Date)
    assert.deepStrictEqual([song.name, song.tempo, song.tracks.length], ['opus', 120, 2])
    assert.deepStrictEqual(song.tracks.map(({ name, notes }) => [name, notes]), [['Tempo', 0], ['Melody', 500]])
  })

  it('are listed by name, added once, and removed', () => {
    for (const name of ['b', 'a']) library.add(name, tune)
    assert.deepStrictEqual(library.list().map(({ name }) => name), ['a', 'b'])
    assert.throws(() => library.add('a', tune), /"a" already/)
    assert.throws(() => library.add('c', Buffer.from('what')), /not a MIDI file/)
    library.remove('a')
    assert.throws(() => library.remove('a'), /no song "a"/)
    reopen()
    assert.deepStrictEqual(library.list().map(({ name }) => name), ['b'])
  })

  it('are transposed by their notes alone, and back', () => {
    library.add('opus', tune)
    library.transpose('opus', 2, 3)
    const moved = bytesOf('opus')
    const pitches = [...eventsOf(tune)].filter(({ kind }) => kind === 'note' || kind === 'release').map(({ offset }) => offset)
    assert.deepStrictEqual([...tune.keys()].filter(offset => moved[offset] !== tune[offset]), pitches)
    for (const offset of pitches) assert.strictEqual(moved[offset], tune[offset] + 3)
    reopen()
    library.transpose('opus', 2, -3)
    assert.deepStrictEqual(bytesOf('opus'), tune)
    assert.deepStrictEqual(library.get('opus').edits.map(({ edit }) => edit), ['transpose track 2 by 3', 'transpose track 2 by -3'])
  })

  it('get another tempo, and later ones in proportion', () => {
    const [first, second] = [[0, 0xff, 0x51, 3, 0x07, 0xa1, 0x20], [0, 0xff, 0x51, 3, 0x03, 0xd0, 0x90]]
    library.add('two', fileOf(...first, ...second))
    library.setTempo('two', 60)
    reopen()
    assert.strictEqual(library.get('two').tempo, 60)
    assert.deepStrictEqual(bytesOf('two').subarray(22), Buffer.from([0, 0xff, 0x51, 3, 0x0f, 0x42, 0x40, 0, 0xff, 0x51, 3, 0x07, 0xa1, 0x20]))
    for (const tempo of [0, -1, 1]) assert.throws(() => library.setTempo('two', tempo), RangeError)
    assert.strictEqual(library.get('two').tempo, 60)
  })

  it('stay as they are if an edit fails in the middle', () => {
    const high = Buffer.from(fileOf(0, 0x90, 60, 90, 0, 126, 90))
    library.add('high', high)
    assert.throws(() => library.transpose('high', 1, 2), /pitch 126 cannot be moved by 2/)
    assert.throws(() => library.transpose('high', 2, 2), /no track 2/)
    assert.deepStrictEqual(bytesOf('high'), high)
    assert.strictEqual(library.get('high').edits.length, 0)
    reopen()
    assert.deepStrictEqual(bytesOf('high'), high)
  })

  it('are what they were after a process was killed in the middle of an edit', async () => {
    library.add('opus', tune)
    library.close()
    const child = fork(require.resolve('./midi-killed.js'), [location])
    const [, signal] = await once(child, 'exit')
    assert.strictEqual(signal, 'SIGKILL')
    library = new Library(location)
    assert.deepStrictEqual(bytesOf('opus'), tune)
    assert.strictEqual(library.get('opus').edits.length, 0)
  })
})

describe('examples/midi: the command', () => {
  const folder = temporaryFolder()
  const line = 'tune: 2 tracks, 120.0 bpm, 8064 bytes\n'
  let run
  let tune
  beforeEach(async () => {
    run = commandOf('midi/midi.js', folder.next())
    tune = path.join(folder.path, 'tune.mid')
    assert.strictEqual(await printed('generate', tune), `${tune}: 8064 bytes\n`)
  })

  async function printed (...words) {
    const { code, stdout, stderr } = await run(...words)
    assert.deepStrictEqual([code, stderr], [0, ''])
    return stdout
  }

  it('imports, shows and exports', async () => {
    assert.strictEqual(await printed('list'), 'There is no song yet.\n')
    assert.strictEqual(await printed('import', tune), line)
    assert.strictEqual(await printed('list'), line)
    assert.match(await printed('show', 'tune'), /track 1 "Tempo": 0 notes\n {2}track 2 "Melody": 1000 notes\n/)
    const copy = path.join(folder.path, 'copy.mid')
    assert.strictEqual(await printed('export', 'tune', copy), `${copy}: 8064 bytes\n`)
    assert.deepStrictEqual(readFileSync(copy), readFileSync(tune))
    assert.strictEqual(await printed('remove', 'tune'), 'tune is gone.\n')
    assert.strictEqual(await printed('list'), 'There is no song yet.\n')
  })

  it('edits', async () => {
    await printed('import', tune)
    assert.strictEqual(await printed('transpose', 'tune', '2', '-3'), line)
    assert.strictEqual(await printed('tempo', 'tune', '68'), line.replace('120', '68'))
    assert.match(await printed('show', 'tune'), /Z transpose track 2 by -3\n .*Z tempo 68\n/)
  })

  it('says what is wrong', async () => {
    const failed = async (...words) => {
      const { code, stdout, stderr } = await run(...words)
      assert.deepStrictEqual([code, stdout], [1, ''])
      return stderr
    }
    const broken = path.join(folder.path, 'broken.mid')
    writeFileSync(broken, readFileSync(tune).subarray(0, 60))
    assert.match(await failed('import', broken), /^midi: The file ends too early: at byte \d+, \d+ more are wanted\n$/)
    assert.strictEqual(await failed('show', 'tune'), 'midi: There is no song "tune"\n')
    assert.strictEqual(await failed('tempo', 'tune', 'fast'), 'midi: fast is not a whole number\n')
    for (const words of [[], ['constructor'], ['show'], ['show', 'a', 'b']]) assert.match(await failed(...words), /^midi: Usage: /)
  })
})
