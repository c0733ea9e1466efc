'use strict'

/**
 * @param {{ format: number, division: number, tracks: Uint8Array[] }} file `division` as it stands
 *   in the header
 * @returns {Buffer} a standard MIDI file
 */
function fileBytes ({ format, division, tracks }) {
  const header = Buffer.alloc(6)
  header.writeUInt16BE(format, 0)
  header.writeUInt16BE(tracks.length, 2)
  header.writeUInt16BE(division, 4)
  return Buffer.concat([chunkBytes('MThd', header), ...tracks.map(track => chunkBytes('MTrk', track))])
}

function chunkBytes (type, data) {
  const head = Buffer.alloc(8)
  head.write(type, 'latin1')
  head.writeUInt32BE(data.length, 4)
  return Buffer.concat([head, data])
}

module.exports = { fileBytes }
