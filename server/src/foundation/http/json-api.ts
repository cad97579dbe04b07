/** Query parameters that JSON:API 1.1 gives a meaning, alone or as a family (`page[size]`). */
const RESERVED = /^(?:include|sort|fields|filter|page)(?:\[.*)?$/

/** Whether JSON:API gives a query parameter a meaning: a route that does not support it refuses it, and ignores what is
 *  unknown besides (decisions, "Answers"). */
export const isReservedParameter = (name: string): boolean => RESERVED.test(name)
