import { PageLevel } from '../../page/level/page-level.js'

window.PageLevel = PageLevel
