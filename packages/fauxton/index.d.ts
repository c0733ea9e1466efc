/** The release of Fauxton whose files these are. */
export const version: string

/** The folder of its files: `index.html`, and what it loads. In a clone they are there once `scripts/setup` has run. */
export const folder: string
