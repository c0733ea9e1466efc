'use strict'

// Work with keys is pmemobj's: its addon is needed only if there is a key.

/**
 * @param {string} file
 * @returns {Buffer}
 */
function readKeyFile (file) { return require('pmemobj').readKeyFile(file) }

/** @param {AsyncIterable<Uint8Array> | Iterable<Uint8Array>} source @param {Uint8Array} key */
function encryptBackup (source, key) { return require('pmemobj').encryptBackup(source, key) }

/** @param {AsyncIterable<Uint8Array>} source @param {Uint8Array} [key] */
function decryptBackup (source, key) { return require('pmemobj').decryptBackup(source, key) }

module.exports = { decryptBackup, encryptBackup, readKeyFile }
