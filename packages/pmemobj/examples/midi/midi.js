#!/usr/bin/env node
'use strict'

const { readFileSync, writeFileSync } = require('node:fs')
const path = require('node:path')
const { Library } = require('./lib/library')
const { makeFile } = require('./lib/midi-file')

const USAGE = `Usage: midi [--pool PATH] COMMAND

  generate FILE                   write a MIDI file to try the others on
  import FILE                     bring a file into the pool
  list                            say what songs there are
  show SONG                       say what is known of a song, and what was changed
  transpose SONG TRACK SEMITONES  move the notes of a track up or down
  tempo SONG BPM                  make all of a song slower or faster
  export SONG FILE                write a song to a MIDI file
  remove SONG                     take a song out of the pool`

/** Each gets the library and the words after its own name, and returns what is printed. */
const commands = {
  generate: (library, file) => write(file, makeFile()),
  import: (library, file) => inOneLine(library.add(path.basename(file, path.extname(file)), readFileSync(file))),
  list: (library) => library.list().map(inOneLine).join('\n') || 'There is no song yet.',
  show (library, name) {
    const song = library.get(name)
    return [
      inOneLine(song),
      `  imported ${song.imported.toISOString()}`,
      ...song.tracks.map(({ name, notes }, index) => `  track ${index + 1} "${name}": ${notes} notes`),
      ...song.edits.map(({ at, edit }) => `  ${at.toISOString()} ${edit}`)
    ].join('\n')
  },
  transpose: (library, name, track, semitones) => inOneLine(library.transpose(name, whole(track), whole(semitones))),
  tempo: (library, name, bpm) => inOneLine(library.setTempo(name, whole(bpm))),
  export: (library, name, file) => write(file, library.get(name).bytes),
  remove (library, name) {
    library.remove(name)
    return `${name} is gone.`
  }
}

function inOneLine ({ name, tempo, tracks, bytes }) {
  return `${name}: ${tracks.length} tracks, ${tempo.toFixed(1)} bpm, ${bytes.length} bytes`
}

function write (file, bytes) {
  writeFileSync(file, bytes)
  return `${file}: ${bytes.length} bytes`
}

function whole (text) {
  if (!/^[+-]?\d+$/.test(text)) throw new RangeError(`${text} is not a whole number`)
  return Number(text)
}

function main (words) {
  const pool = words[0] === '--pool' ? words.splice(0, 2)[1] : './midi.pool'
  const [name, ...others] = words
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command === undefined || others.length !== command.length - 1) throw new Error(USAGE)
  const library = new Library(pool)
  try {
    console.log(command(library, ...others))
  } finally {
    library.close()
  }
}

try {
  main(process.argv.slice(2))
} catch (error) {
  console.error(`midi: ${error.message}`)
  process.exitCode = 1
}
