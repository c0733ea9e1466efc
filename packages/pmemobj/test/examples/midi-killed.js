'use strict'

// Edits the song `opus` of the pool at argv[2], and dies when the file has changed but the
// transaction has not come to its end.

const { Pool } = require('pmemobj')
const { Song } = require('../../examples/midi/lib/song')

const pool = Pool.open(process.argv[2])
pool.register(Song)
pool.transaction(() => {
  const song = pool.root.songs.get('opus')
  const before = Buffer.from(song.bytes)
  song.transpose(2, 1)
  if (before.equals(song.bytes)) throw new Error('Nothing has changed')
  process.kill(process.pid, 'SIGKILL')
})
