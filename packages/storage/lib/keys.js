'use strict'

// What has to do with keys is pmemobj's. Only who has a key needs its addon.

/**
 * @param {string} file
 * @returns {Buffer}
 */
function readKeyFile (file) { return require('pmemobj').readKeyFile(file) }

function encryptBackup (source, key) { return require('pmemobj').encryptBackup(source, key) }

function decryptBackup (source, key) { return require('pmemobj').decryptBackup(source, key) }

module.exports = { decryptBackup, encryptBackup, readKeyFile }
