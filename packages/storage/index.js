'use strict'

const { duplicateDescriptor } = require('./lib/descriptor')
const { fileSystemOf } = require('./lib/file-system')
const { freeSpace } = require('./lib/free-space')
const { decryptBackup, encryptBackup, readKeyFile } = require('./lib/keys')
const { holdPath } = require('./lib/hold-path')
const { open, poolFault } = require('./lib/open')
const { poolSizeOf } = require('./lib/pool-size')
const { findPouchPools } = require('./lib/pouch-pools')
const { releaseMemory } = require('./lib/release-memory')
const { salvage } = require('./lib/salvage')
const { syncFolderSync } = require('./lib/sync-folder')
const { DurableClassicLevel } = require('./lib/durable-classic-level')

module.exports = { open, decryptBackup, duplicateDescriptor, encryptBackup, fileSystemOf, findPouchPools, freeSpace, holdPath, poolFault, poolSizeOf, readKeyFile, releaseMemory, salvage, syncFolderSync, DurableClassicLevel }
