'use strict'

const { mkdtempSync, rmSync } = require('node:fs')
const { tmpdir } = require('node:os')
const path = require('node:path')

const plugin = require('..')
const { testAdapter } = require('../../pouchdb-adapter-document-store/test/adapter-suite')
const { testOnFiles } = require('../../pouchdb-adapter-document-store/test/file-suite')

const folder = mkdtempSync(path.join(tmpdir(), 'pouchdb-adapter-classic-level-'))
let count = 0
const newName = () => path.join(folder, `db-${++count}`)

after(() => rmSync(folder, { recursive: true, force: true }))

testAdapter({ adapter: 'classic-level', plugin, name: newName })
testOnFiles({ adapter: 'classic-level', packageFolder: path.join(__dirname, '..'), folder, name: newName })
