'use strict'

const assert = require('node:assert')
const { fork } = require('node:child_process')
const { once } = require('node:events')
const { PersistentArrayBuffer } = require('pmemobj')
const { compose } = require('../../examples/midi/lib/composer')
const { fileBytes } = require('../../examples/midi/lib/file/file-bytes')
const { Library } = require('../../examples/midi/lib/library')
const { TrackWriter } = require('../../examples/midi/lib/file/track-writer')
const { temporaryFolder } = require('../temporary-folder')

/** Offsets at which two files of one size differ. */
function changed (before, after) {
  assert.strictEqual(after.length, before.length)
  return [...before.keys()].filter(offset => before[offset] !== after[offset])
}

describe('examples/midi: songs in a pool', () => {
  const folder = temporaryFolder()
  const piece = compose({ seed: 11, size: 20_000 })
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

  const bytesOf = name => Buffer.from(library.get(name).bytes())

  it('come out as they went in', () => {
    library.add('opus', piece)
    reopen()
    const song = library.get('opus')
    assert.deepStrictEqual(Buffer.from(song.bytes()), piece)
    assert.ok(song.data instanceof PersistentArrayBuffer)
    assert.ok(song.imported instanceof Date)
    assert.deepStrictEqual([song.name, song.format, song.size, song.tracks.length], ['opus', 1, piece.length, 4])
    assert.deepStrictEqual(song.tracks.map(({ name }) => name), ['Opus 11', 'Lead 1', 'Bass 2', 'Chords 3'])
  })

  it('are listed by name, added once, and removed', () => {
    for (const name of ['b', 'a']) library.add(name, piece)
    assert.deepStrictEqual(library.list().map(({ name }) => name), ['a', 'b'])
    assert.throws(() => library.add('a', piece), /"a" already/)
    assert.throws(() => library.add('c', Buffer.from('what')), { code: 'MIDI_BROKEN' })
    library.remove('a')
    assert.throws(() => library.remove('a'), /no song "a"/)
    reopen()
    assert.deepStrictEqual(library.list().map(({ name }) => name), ['b'])
  })

  it('are transposed by their notes alone, and back', () => {
    const { tracks } = library.add('opus', piece)
    const { bytes, saved } = library.transpose('opus', { track: 2, semitones: 3 })
    const offsets = changed(piece, bytesOf('opus'))
    assert.strictEqual(bytes, 2 * tracks[1].notes)
    assert.strictEqual(offsets.length, bytes)
    assert.ok(saved < piece.length / 2, `${saved} of ${piece.length} bytes`)
    reopen()
    library.transpose('opus', { track: 2, semitones: -3 })
    assert.deepStrictEqual(bytesOf('opus'), piece)
    assert.deepStrictEqual(library.get('opus').edits.map(({ edit }) => edit), ['transpose track 2 by 3', 'transpose track 2 by -3'])
  })

  it('keep the instruments of their drums', () => {
    library.add('drums', compose({ tracks: 5, size: 4000 }))
    assert.deepStrictEqual(library.transpose('drums', { track: 5, semitones: 1 }), { bytes: 0, saved: 0 })
  })

  it('get another tempo by three bytes for each, and another length with it', () => {
    const before = library.add('opus', piece).seconds
    const half = library.get('opus').tempo / 2
    const { bytes } = library.changeTempo('opus', half)
    assert.strictEqual(bytes, 9 * 3)
    assert.ok(changed(piece, bytesOf('opus')).length <= 27)
    reopen()
    const { tempo, seconds } = library.get('opus')
    assert.ok(Math.abs(tempo - half) < 0.001 && Math.abs(seconds - 2 * before) < 0.01, `${tempo}, ${seconds}`)
  })

  it('get a name for a track that is no longer than the old one', () => {
    library.add('opus', piece)
    assert.deepStrictEqual(library.renameTrack('opus', { track: 2, to: 'Solo 1' }), { bytes: 6, saved: 6 })
    assert.strictEqual(library.get('opus').tracks[1].name, 'Solo 1')
    library.renameTrack('opus', { track: 2, to: 'So' })
    reopen()
    assert.strictEqual(library.get('opus').tracks[1].name, 'So')
    assert.throws(() => library.renameTrack('opus', { track: 2, to: 'Soloist' }), /room for 6 bytes, not for the 7/)
  })

  it('get one velocity for all notes of a track', () => {
    const { tracks } = library.add('opus', piece)
    assert.strictEqual(library.setVelocity('opus', { track: 3, velocity: 127 }).bytes, tracks[2].notes)
    assert.strictEqual(library.get('opus').tracks[2].notes, tracks[2].notes)
    for (const velocity of [0, 128, 1.5]) assert.throws(() => library.setVelocity('opus', { track: 3, velocity }), RangeError)
  })

  it('stay as they are where an edit is not possible', () => {
    const high = new TrackWriter().noteOn(0, 0, 60, 90).noteOn(0, 0, 126, 90).end()
    const file = fileBytes({ format: 0, division: 96, tracks: [high] })
    library.add('high', file)
    assert.throws(() => library.transpose('high', { track: 1, semitones: 2 }), /pitch 126 cannot be moved by 2/)
    assert.throws(() => library.transpose('high', { track: 2, semitones: 2 }), /no track 2: the file has 1/)
    assert.throws(() => library.changeTempo('high', 100), /sets no tempo/)
    assert.throws(() => library.renameTrack('high', { track: 1, to: 'x' }), /has no name/)
    assert.deepStrictEqual(bytesOf('high'), file)
    assert.deepStrictEqual(library.get('high').edits.length, 0)
  })

  it('are what they were after a process was killed in the middle of an edit', async () => {
    library.add('opus', piece)
    library.close()
    const child = fork(require.resolve('./midi-killed.js'), [location])
    const [, signal] = await once(child, 'exit')
    assert.strictEqual(signal, 'SIGKILL')
    library = new Library(location)
    assert.deepStrictEqual(bytesOf('opus'), piece)
    assert.strictEqual(library.get('opus').edits.length, 0)
  })
})
