/** How long a browser stays signed in (decisions, "OAuth"). */
export const deviceSessionS = 30 * 86_400
