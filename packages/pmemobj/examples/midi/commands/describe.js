'use strict'

/** 83 seconds → `1:23`. */
function asTime (seconds) {
  const whole = Math.round(seconds)
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}

/** @param {import('../lib/song').Song} song */
function inOneLine (song) {
  return `${song.name}: format ${song.format}, ${song.tracks.length} tracks, ${song.tempo.toFixed(1)} bpm, ${asTime(song.seconds)}, ${song.size} bytes`
}

/**
 * @param {import('../lib/song').Song} song
 * @param {{ bytes: number, saved: number }} edited
 */
function ofEdit (song, { bytes, saved }) {
  return `${bytes} of ${song.size} bytes set, ${saved} saved before`
}

module.exports = { asTime, inOneLine, ofEdit }
