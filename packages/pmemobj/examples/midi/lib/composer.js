'use strict'

const { fileBytes } = require('./file/file-bytes')
const { DRUMS } = require('./file/note')
const { TrackWriter } = require('./file/track-writer')
const { Random } = require('./random')

const TICKS_PER_QUARTER = 96
const SCALE = [0, 2, 4, 5, 7, 9, 11]
const VOICES = ['Lead', 'Bass', 'Chords', 'Drums']
const LEAST_TRACK = 64

/**
 * Makes up a piece of music, the same for the same seed: several tracks, running status, changes of
 * tempo, controllers, bends and SysEx, so that readers have something to read.
 *
 * @param {{ seed?: number, tracks?: number, size?: number }} [options] `tracks`: 2 to 16, the first
 *   of which has the tempo; `size`: about how many bytes it is to have
 * @returns {Buffer} a standard MIDI file of format 1
 */
function compose ({ seed = 1, tracks = 4, size = 30_000 } = {}) {
  if (!Number.isInteger(tracks) || tracks < 2 || tracks > 16) throw new RangeError(`A piece has 2 to 16 tracks, not ${tracks}`)
  const random = new Random(seed)
  const room = Math.max(LEAST_TRACK, Math.floor(size / (tracks - 1)))
  const voices = Array.from({ length: tracks - 1 }, (_, index) => voiceTrack(random, index, room))
  return fileBytes({ format: 1, division: TICKS_PER_QUARTER, tracks: [tempoTrack(random, seed), ...voices] })
}

function tempoTrack (random, seed) {
  const track = new TrackWriter().name(`Opus ${seed}`).meta(0, 0x58, [4, 2, 24, 8]).tempo(0, random.between(80, 140))
  for (let bar = 0; bar < 8; bar++) track.tempo(16 * TICKS_PER_QUARTER, random.between(80, 140))
  return track.end()
}

function voiceTrack (random, index, size) {
  const voice = VOICES[index % VOICES.length]
  const channel = voice === 'Drums' ? DRUMS : index < DRUMS ? index : index + 1
  const track = new TrackWriter().name(`${voice} ${index + 1}`)
    .sysex(0, [0x7e, 0x7f, 0x09, 0x01, 0xf7]) // General MIDI on
    .channel(0, 0xc0 | channel, random.between(0, 127))
    .channel(0, 0xb0 | channel, 7, 100)
  while (track.size < size) phrase(track, random, channel)
  return track.end(TICKS_PER_QUARTER)
}

// Notes end by a velocity of 0, so that one status runs through the whole phrase.
function phrase (track, random, channel) {
  for (let note = 0; note < 8; note++) {
    const pitch = 12 * random.between(3, 6) + SCALE[random.between(0, 6)]
    track.noteOn(random.between(0, 3) * 24, channel, pitch, random.between(40, 110))
      .noteOn(random.between(1, 8) * 24, channel, pitch, 0)
  }
  track.channel(0, 0xe0 | channel, random.between(0, 127), 64)
}

module.exports = { compose }
