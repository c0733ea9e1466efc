'use strict'

const assert = require('node:assert')
const fc = require('fast-check')
const { compose } = require('../../examples/midi/lib/composer')
const { fileBytes } = require('../../examples/midi/lib/file/file-bytes')
const { metadataOf } = require('../../examples/midi/lib/file/metadata')
const { MidiError } = require('../../examples/midi/lib/file/midi-error')
const { MidiFile } = require('../../examples/midi/lib/file/midi-file')
const { quantityBytes } = require('../../examples/midi/lib/file/quantity')
const { TrackWriter } = require('../../examples/midi/lib/file/track-writer')

/** A file of format 0 whose only track has these bytes, without its end. */
const fileOf = (...bytes) => fileBytes({ format: 0, division: 96, tracks: [Uint8Array.from([...bytes, 0, 0xff, 0x2f, 0])] })

const read = bytes => metadataOf(new MidiFile(bytes))

const events = bytes => [...new MidiFile(bytes).eventsOf(1)]

function refuses (bytes, message, offset) {
  assert.throws(() => read(bytes), error => {
    assert.ok(error instanceof MidiError, error.stack)
    assert.strictEqual(error.code, 'MIDI_BROKEN')
    assert.match(error.message, message)
    if (offset !== undefined) assert.strictEqual(error.offset, offset)
    return true
  })
}

describe('examples/midi: standard MIDI files', () => {
  // The examples of the standard's text.
  for (const [value, bytes] of [[0, [0]], [0x7f, [0x7f]], [0x80, [0x81, 0]], [0x2000, [0xc0, 0]], [0x3fff, [0xff, 0x7f]],
    [0x1fffff, [0xff, 0xff, 0x7f]], [0x200000, [0x81, 0x80, 0x80, 0]], [0xfffffff, [0xff, 0xff, 0xff, 0x7f]]]) {
    it(`writes and reads the quantity ${value}`, () => {
      assert.deepStrictEqual(quantityBytes(value), bytes)
      assert.strictEqual(events(fileOf(...bytes, 0xc0, 1))[0].tick, value)
    })
  }

  it('reads events with and without a status of their own', () => {
    const found = events(fileOf(0, 0x90, 60, 100, 24, 60, 0, 0, 0xc3, 7, 5, 8))
    assert.deepStrictEqual(found.map(({ tick, status }) => [tick, status]), [[0, 0x90], [24, 0x90], [24, 0xc3], [29, 0xc3], [29, 0xff]])
    assert.deepStrictEqual(found.map(({ start, end }) => end - start), [2, 2, 1, 1, 0])
  })

  it('goes on with the status after meta events and SysEx, as many files do', () => {
    const found = events(fileOf(0, 0x90, 60, 100, 0, 0xff, 1, 2, 65, 66, 0, 0xf0, 3, 1, 2, 0xf7, 0, 60, 0))
    assert.deepStrictEqual(found.map(({ status }) => status), [0x90, 0xff, 0xf0, 0x90, 0xff])
  })

  it('skips chunks that it does not know, and what is longer in a header', () => {
    const track = fileOf(0, 0xc0, 1).subarray(14)
    const header = Buffer.from('4d54686400000008000000010060ffff', 'hex')
    const unknown = Buffer.from('5846494800000002abcd', 'hex')
    assert.strictEqual(read(Buffer.concat([header, unknown, track, unknown])).tracks.length, 1)
  })

  it('reads names in UTF-8 and in Latin-1', () => {
    const named = name => read(fileOf(0, 0xff, 3, name.length, ...name)).tracks[0].name
    assert.strictEqual(named(Buffer.from('Flöte')), 'Flöte')
    assert.strictEqual(named(Buffer.from('Flöte  ', 'latin1')), 'Flöte')
  })

  it('knows the length from every change of tempo, on whichever track', () => {
    const tempo = new TrackWriter().tempo(0, 60).tempo(96 * 4, 120).end()
    const late = new TrackWriter().tempo(96 * 8, 240).channel(96 * 4, 0xc0, 1).end()
    const { seconds, tempo: first } = read(fileBytes({ format: 1, division: 96, tracks: [tempo, late] }))
    assert.deepStrictEqual([first, seconds], [60, 4 + 2 + 1])
  })

  it('takes 120 quarter notes a minute where a file does not say', () => {
    assert.deepStrictEqual([read(fileOf(0x83, 0x40, 0xc0, 1)).seconds, read(fileOf()).tempo], [448 / 96 / 2, 120])
  })

  it('counts the frames of SMPTE', () => {
    const track = new TrackWriter().end(2500)
    assert.strictEqual(read(fileBytes({ format: 0, division: ((256 - 25) << 8) | 40, tracks: [track] })).seconds, 2.5)
  })

  it('adds up the tracks of format 2, each at its tempo', () => {
    const tracks = [60, 120].map(tempo => new TrackWriter().tempo(0, tempo).end(96 * 2))
    assert.strictEqual(read(fileBytes({ format: 2, division: 96, tracks })).seconds, 3)
  })

  it('finds tracks, notes and channels', () => {
    const track = new TrackWriter().name('Duet').noteOn(0, 3, 60, 90).noteOn(0, 1, 64, 90).noteOff(96, 3, 60).noteOn(0, 1, 64, 0).end()
    assert.deepStrictEqual(read(fileBytes({ format: 1, division: 96, tracks: [track] })).tracks, [{ name: 'Duet', notes: 2, channels: [2, 4], ticks: 96 }])
  })

  it('refuses what is broken, and says where', () => {
    refuses(Buffer.from('RIFF....'), /no MIDI file/, 0)
    refuses(Buffer.alloc(0), /no MIDI file/, 0)
    refuses(Buffer.from('MThd'), /ends too early: 4 bytes are wanted, 0 are left/, 4)
    refuses(fileBytes({ format: 3, division: 96, tracks: [] }), /format must be 0, 1 or 2, not 3/, 8)
    refuses(fileBytes({ format: 0, division: 96, tracks: [] }), /Format 0 has one track, not 0/, 10)
    refuses(fileBytes({ format: 1, division: 0, tracks: [] }), /at least one tick/, 12)
    refuses(fileBytes({ format: 1, division: 0x8001, tracks: [] }), /division 0x8001/, 12)
    refuses(fileOf(0, 0xff, 0x51, 2, 1, 2), /tempo that has no meaning/, 26)
    refuses(fileOf(0, 0xff, 0x51, 3, 0, 0, 0), /tempo that has no meaning/, 26)
    refuses(fileOf(0, 0xff, 0x80, 0), /type up to 127, not 128/, 24)
    refuses(fileOf(0, 0x40, 0x40), /Data without a status/, 23)
    refuses(fileOf(0, 0x90, 60, 0x90), /status stands where data is wanted/, 25)
    refuses(fileOf(0, 0xf8), /0xf8 does not occur in files/, 23)
    refuses(fileOf(0xff, 0xff, 0xff, 0xff, 0), /more than four bytes/, 22)
    refuses(fileOf(0, 0xf0, 0x7f), /ends too early/)
    refuses(fileBytes({ format: 0, division: 96, tracks: [Uint8Array.from([0, 0xc0, 1])] }), /track has no end/, 25)
    const two = fileBytes({ format: 1, division: 96, tracks: [new TrackWriter().end(), new TrackWriter().end()] })
    refuses(two.subarray(0, two.length - 12), /1 of 2 tracks/)
    assert.throws(() => new MidiFile(two).eventsOf(3), { name: 'RangeError', message: /no track 3: the file has 2/ })
  })

  it('reads, or refuses with a MidiError, whatever bytes there are', () => {
    const piece = compose({ seed: 3, size: 600 })
    const change = fc.record({ at: fc.nat(piece.length - 1), byte: fc.nat(255) })
    fc.assert(fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), fc.nat(piece.length), (changes, end) => {
      const bytes = Uint8Array.from(piece.subarray(0, end))
      for (const { at, byte } of changes) if (at < end) bytes[at] = byte
      try {
        read(bytes)
      } catch (error) {
        if (!(error instanceof MidiError)) throw error
      }
    }), { numRuns: 2000 })
  })
})

describe('examples/midi: made-up files', () => {
  it('are the same for the same seed, and others for another', () => {
    assert.deepStrictEqual(compose({ seed: 5 }), compose({ seed: 5 }))
    assert.notDeepStrictEqual(compose({ seed: 5 }), compose({ seed: 6 }))
  })

  it('have the tracks and about the size that is asked for', () => {
    for (const tracks of [2, 3, 16]) {
      const bytes = compose({ tracks, size: 40_000 })
      assert.strictEqual(read(bytes).tracks.length, tracks)
      assert.ok(bytes.length >= 40_000 && bytes.length < 43_000, `${bytes.length} bytes`)
    }
  })

  it('refuse what is no piece', () => {
    for (const tracks of [1, 17, 2.5]) assert.throws(() => compose({ tracks }), RangeError)
  })
})
