'use strict'

/** @param {number} time in µs */
function formatMicroseconds (time) {
  if (time < 1) return `${Math.round(time * 1000)} ns`
  return time < 1000 ? `${significant(time)} µs` : `${significant(time / 1000)} ms`
}

/** @param {number} ratio */
function formatRatio (ratio) {
  return ratio < 10 ? ratio.toPrecision(2) : String(Math.round(ratio))
}

function significant (number) {
  return number < 10 ? number.toFixed(1) : String(Math.round(number))
}

module.exports = { formatMicroseconds, formatRatio }
