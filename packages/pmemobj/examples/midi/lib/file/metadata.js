'use strict'

const { secondsOf } = require('./clock')
const { ofChannel } = require('./event')
const { channelOf, startsNote } = require('./note')
const { DEFAULT_TEMPO, setsTempo, tempoAt } = require('./tempo')
const { namesTrack, textOf } = require('./text')

/**
 * @typedef {object} TrackMetadata
 * @property {string} name
 * @property {number} notes how many
 * @property {number[]} channels 1 to 16, ascending
 * @property {number} ticks its length
 */

/**
 * @typedef {object} Metadata
 * @property {number} format
 * @property {number} tempo quarter notes a minute, at the beginning
 * @property {number} seconds
 * @property {TrackMetadata[]} tracks
 */

/**
 * What is to be known of a file; reads all of it, so that a broken one is refused here.
 *
 * @param {import('./midi-file').MidiFile} file
 * @returns {Metadata}
 */
function metadataOf (file) {
  const scans = file.trackNumbers().map(number => scan(file, number))
  const changes = scans.flatMap(({ changes }) => changes)
  const { format } = file.header
  return {
    format,
    tempo: first(changes)?.tempo ?? DEFAULT_TEMPO,
    seconds: format === 2 ? sum(scans.map(({ track, changes }) => lengthOf(file, [track], changes))) : lengthOf(file, scans.map(({ track }) => track), changes),
    tracks: scans.map(({ track }) => track)
  }
}

function scan (file, number) {
  const track = { name: '', notes: 0, channels: [], ticks: 0 }
  const channels = new Set()
  const changes = []
  for (const event of file.eventsOf(number)) {
    track.ticks = event.tick
    if (ofChannel(event)) channels.add(channelOf(event) + 1)
    if (startsNote(event, file.bytes)) track.notes++
    if (namesTrack(event) && track.name === '') track.name = textOf(file.bytes, event)
    if (setsTempo(event)) changes.push({ tick: event.tick, tempo: tempoAt(file.bytes, event) })
  }
  track.channels = [...channels].sort((a, b) => a - b)
  return { track, changes }
}

function lengthOf (file, tracks, changes) {
  return secondsOf(file.header.division, Math.max(0, ...tracks.map(({ ticks }) => ticks)), changes)
}

const first = changes => [...changes].sort((a, b) => a.tick - b.tick)[0]

const sum = numbers => numbers.reduce((total, number) => total + number, 0)

module.exports = { metadataOf }
