'use strict'

// node test/upgrades/make.js: keeps data folders of this version, one for each storage, in test/upgrades/folders. Run it with
// each release, and keep those of earlier ones: later versions have to open them.

const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { version } = require('../../server/package.json')
const { serve } = require('../../server')
const { admin, written } = require('./content')

/** @param {'pmem' | 'classic-level'} storage */
async function make (storage) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'potoroo-upgrade-'))
  const config = { chttpd_auth: { iterations: 10 } }
  const server = await serve({ path: folder, storage, size: 8 * 2 ** 20, allowVolatile: true, port: 0, admins: { [admin.name]: admin.password }, config })
  await written(server.url)
  await server.close()
  // The bytes of a pool are mostly zeros.
  execFileSync('tar', ['-C', folder, '--sparse', '-cJf', path.join(__dirname, 'folders', `${version}-${storage}.tar.xz`), '.'])
  fs.rmSync(folder, { recursive: true })
}

make('pmem').then(() => make('classic-level'))
