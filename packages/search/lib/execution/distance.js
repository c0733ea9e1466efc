'use strict'

/** Meters: the mean radius. */
const EARTH = 6_371_008.7714

/** @param {number} degrees */
function radians (degrees) { return degrees * Math.PI / 180 }

/**
 * Meters between two places, along a great circle.
 *
 * @param {[number, number]} from longitude, latitude
 * @param {[number, number]} to
 */
function distance ([lonA, latA], [lonB, latB]) {
  const across = Math.sin(radians(lonB - lonA) / 2)
  const along = Math.sin(radians(latB - latA) / 2)
  const share = along ** 2 + Math.cos(radians(latA)) * Math.cos(radians(latB)) * across ** 2
  return 2 * EARTH * Math.asin(Math.min(1, Math.sqrt(share)))
}

module.exports = { distance }
