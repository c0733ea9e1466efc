'use strict'

/** Functions of the tests' own utilities for content in a page. */
module.exports = {
  makeBlob: (data, type) => toBlob(data, type),
  binaryStringToBlob: (data, type) => toBlob(data, type),
  btoa: (data) => btoa(data),
  atob: (data) => atob(data),
  readBlob,
  readBlobPromise: (blob) => new Promise((resolve) => readBlob(blob, resolve)),
  base64Blob: (blob, callback) => readBlob(blob, (text) => callback(btoa(text)))
}

function toBlob (data, type) {
  return new Blob([Uint8Array.from(data, (char) => char.charCodeAt(0))], { type })
}

function readBlob (blob, callback) {
  blob.arrayBuffer().then((buffer) => callback(Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join('')))
}
