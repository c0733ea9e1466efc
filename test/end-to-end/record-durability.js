'use strict'

// Loaded by `node --require` before a command: prints to stderr each flush of a file and each rename.

const fs = require('node:fs')

const names = new Map()
const say = (what, name) => fs.writeSync(2, `${what} ${name}\n`)
const { openSync, fsync, renameSync } = fs

fs.openSync = (name, ...rest) => {
  const file = openSync(name, ...rest)
  names.set(file, name)
  return file
}
fs.fsync = (file, done) => fsync(file, error => {
  say('flushed', names.get(file))
  done(error)
})
fs.renameSync = (from, to) => {
  say('renamed', from)
  renameSync(from, to)
}
