'use strict'

const { servePotoroo } = require('../../lib/http/potoroo')

module.exports = {
  name: 'potoroo, classic-level',
  ours: true,
  media: {
    tmpfs: 'fdatasync per commit',
    disk: 'fdatasync per commit'
  },
  serve ({ folder, port }) {
    return servePotoroo({ path: folder, port, storage: 'classic-level' })
  }
}
