package categorise

import (
	"slices"
	"strings"

	"governance.internal/functions/bookkeeping/chart"
)

// business is what a kind of business in free text tells about the goods that it buys.
type business struct {
	known     bool
	goods     map[string]bool // groups of materials that it sells or makes things of
	isService bool            // it sells work, so that materials are supplies
	isTrade   bool            // it sells or makes goods at all
}

// crafts maps beginnings of words in a kind of business to the materials of its products.
var crafts = []struct {
	group string
	stems []string
}{
	{"wood", []string{"furnitur", "wood", "joiner", "cabinet", "carpent", "luthier", "guitar maker", "frame", "schrein", "tischler", "menuis", "ebenist", "meubel", "carpint", "falegnam", "mobel", "moebel", "snick", "stolar", "boat build", "turner", "instrument"}},
	{"food", []string{"bak", "restaur", "cafe", "coffee", "cater", "food", "brew", "roast", "deli", "confect", "ice cream", "chocolat", "kitchen", "pizz", "grocer", "butcher", "wine", "gastro", "back", "konditor", "boulang", "patiss", "traiteur", "panader", "gelat", "bistro", "jam ", "sauce", "meal", "tea", "juice", "distill", "cheese", "chef", "pastry", "diner", "bar"}},
	{"textile", []string{"cloth", "fashion", "tailor", "sew", "upholster", "apparel", "quilt", "knit", "leather", "bag", "textil", "dress", "costume", "curtain", "schneider", "couture", "mode", "saddl", "shoe", "yarn", "weav"}},
	{"clay", []string{"pott", "ceramic", "topfer", "toepfer", "keramik", "poterie", "ceram"}},
	{"jewel", []string{"jewel", "goldsmith", "silversmith", "bead", "schmuck", "bijou", "joyer", "gioiell", "sieraden"}},
	{"metal", []string{"metal", "weld", "fabricat", "machin", "blacksmith", "forge", "knife", "schlosser", "metallbau", "smed", "bike build"}},
	{"plants", []string{"florist", "flower", "nurser", "garden cent", "plant", "blumen", "fleurist"}},
	{"craft", []string{"candle", "soap", "cosmetic", "skincare", "perfume", "kerzen", "seife"}},
	{"print", []string{"print", "t-shirt", "tshirt", "art", "paint", "illustrat", "framing", "stationery", "poster", "sign mak"}},
	{"stone", []string{"stone", "tile mak", "sculpt", "mason", "countertop"}},
	{"hardware", []string{"hardware store"}},
}

// services sell work. Painters of houses and of pictures differ.
var services = []string{
	"house paint", "painter", "painting contractor", "handyman", "repair", "clean", "plumb", "electric", "landscap", "gardener", "consult",
	"contract", "renovat", "remodel", "install", "maintenance", "photograph", "salon", "barber", "hair", "design", "market", "software",
	"develop", "account", "law", "agency", "property", "maler", "handwerk", "hausmeister", "peintre", "plombier", "pintor", "schilder",
	"roofer", "roofing", "tiler", "builder", "construction", "freelance", "it ", "writer", "teacher", "coach", "therap", "clinic", "dent", "vet", "yoga", "hvac", "mechanic", "garage", "driver", "courier", "event", "studio",
}

var trades = []string{"maker", "manufactur", "producer", "shop", "store", "retail", "boutique", "resale", "resell", "e-commerce", "ecommerce", "seller", "wholesal", "import", "handel", "laden", "magasin", "tienda", "negozio", "winkel", "butik"}

func newBusiness(kind string) business {
	kind = strings.ToLower(strings.TrimSpace(kind))
	if kind == "" {
		return business{}
	}

	b := business{known: true, goods: map[string]bool{}}
	b.isService = hasStem(kind, services)
	b.isTrade = hasStem(kind, trades)
	isHousePainter := strings.Contains(kind, "painter") && !strings.Contains(kind, "portrait") && !strings.Contains(kind, "artist")

	for _, craft := range crafts {
		fits := hasStem(kind, craft.stems)
		if craft.group == "print" && isHousePainter {
			fits = false
		}
		b.goods[craft.group] = fits
		b.isTrade = b.isTrade || fits
	}
	return b
}

// hasStem reports whether a word of the text begins with one of the stems.
func hasStem(text string, stems []string) bool {
	return slices.ContainsFunc(stems, func(stem string) bool {
		return strings.HasPrefix(text, stem) || strings.Contains(text, " "+stem) || strings.Contains(text, "-"+stem)
	})
}

// byMaterial reads the names of goods, which are cost of goods to one business and supplies to another.
func byMaterial(c *Clerk, e *evidence) (Verdict, bool) {
	p := e.best[materials]
	if p == nil || e.in && !e.refund {
		return Verdict{}, false
	}
	if w := e.best[words]; w != nil {
		if outweighsMaterial(w, p) {
			return Verdict{}, false
		}
		if w.list == string(chart.CostOfGoods) {
			return Verdict{chart.CostOfGoods, 0.88, reasonOf(w), ""}, true
		}
	}
	return c.judgeCodedMaterial(e, p)
}

// judgeCodedMaterial lets the code of a card row overrule the name of a good.
func (c *Clerk) judgeCodedMaterial(e *evidence, p *phrase) (Verdict, bool) {
	if code, ok := categoryOfCode(e.row.MCC); ok && code != chart.Supplies {
		return Verdict{code, 0.8, "the merchant category code " + e.row.MCC, ""}, true
	}
	return c.business.judgeMaterial(p)
}

// outweighsMaterial reports whether a word for a trade says more than the name of a good, as in coffee
// house or leather repair.
func outweighsMaterial(w, p *phrase) bool {
	switch chart.Category(w.list) {
	case chart.Supplies, chart.CostOfGoods, chart.OwnerOut, chart.Software:
		return false
	case chart.Meals, chart.Repairs, chart.Shipping, chart.Advertising, chart.ContractLabor, chart.Legal, chart.Insurance,
		chart.RentPremises, chart.RentEquipment, chart.Education, chart.Entertainment, chart.Travel, chart.Wages, chart.Dues:
		return true
	}
	return len(w.words) > len(p.words)
}

func (b business) judgeMaterial(p *phrase) (Verdict, bool) {
	name := strings.Join(p.words, " ")
	ask := "Did you sell it, make goods of it, or use it up? The option business_kind may decide it for all such rows."

	switch {
	case !b.known:
		return Verdict{chart.Uncategorised, 0, "the goods (" + name + ") are supplies to one business and cost of goods to another", ask}, true
	case b.goods[p.list]:
		return Verdict{chart.CostOfGoods, 0.9, "the business makes or sells goods of it: " + name, ""}, true
	case p.list == "food":
		return Verdict{chart.Uncategorised, 0, "food is no supply of such a business", "Was it for the business or private?"}, true
	case b.isService || p.list == "hardware":
		return Verdict{chart.Supplies, 0.85, "the business uses it up: " + name, ""}, true
	case b.isTrade:
		return Verdict{chart.Supplies, 0.7, "the business sells other goods: " + name, ""}, true
	}
	return Verdict{chart.Supplies, 0.65, "the business uses it up: " + name, ask}, true
}
