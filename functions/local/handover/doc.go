// Package handover hands `governance run` over to the small program beside this one, before the
// packages of this one are initialised: those take forty milliseconds, the small program two.
//
// Go initialises packages in the order of their import paths, each as soon as what it imports is
// initialised. A package that imports os alone is therefore among the first.
package handover
