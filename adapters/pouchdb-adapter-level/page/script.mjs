/* global PouchDB */

import './late/indexes.mjs'
import { plugin } from './plugin.js'

PouchDB.plugin(plugin)
