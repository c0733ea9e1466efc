'use strict'

const NOTE_OFF = 0x80
const NOTE_ON = 0x90
const CONTROLLER = 0xb0

// By General MIDI: its keys are instruments, not pitches.
const DRUMS = 9

/** 0 to 15. */
const channelOf = event => event.status & 0x0f

/** Whether an event's first byte of data is a pitch. */
const hasPitch = event => event.status < CONTROLLER && channelOf(event) !== DRUMS

/** Whether it lets a note sound. With no velocity, it ends one. */
const startsNote = (event, bytes) => (event.status & 0xf0) === NOTE_ON && bytes[event.start + 1] > 0

module.exports = { channelOf, hasPitch, startsNote, NOTE_ON, NOTE_OFF, DRUMS }
