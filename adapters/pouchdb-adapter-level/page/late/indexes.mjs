import '../plugin.js'
import { EmbeddedViews } from '@potoroo/indexes/lib/embedded/embedded-views'
import { provideIndexes } from './load-indexes.js'

provideIndexes({ EmbeddedViews })
