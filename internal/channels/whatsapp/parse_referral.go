package whatsapp

import (
	"recado/internal/channels/provider"
	"recado/internal/kernel"
)

// referralContent is the ad or post that a customer came from.
type referralContent struct {
	SourceURL    text               `json:"source_url"`
	SourceID     text               `json:"source_id"`
	SourceType   text               `json:"source_type"`
	Headline     text               `json:"headline"`
	Body         text               `json:"body"`
	MediaType    text               `json:"media_type"`
	ImageURL     text               `json:"image_url"`
	VideoURL     text               `json:"video_url"`
	ThumbnailURL text               `json:"thumbnail_url"`
	ClickID      text               `json:"ctwa_clid"`
	Welcome      lenient[parameter] `json:"welcome_message"`
}

// maxReferral is the maximum length of each part of a referral, in bytes.
const maxReferral = 4096

func (r referralContent) read() *provider.Referral {
	out := provider.Referral{
		SourceURL: part(r.SourceURL), SourceID: part(r.SourceID), SourceType: part(r.SourceType), Headline: part(r.Headline),
		Body: part(r.Body), MediaType: part(r.MediaType), ImageURL: part(r.ImageURL), VideoURL: part(r.VideoURL),
		ThumbnailURL: part(r.ThumbnailURL), CTWAClickID: part(r.ClickID), WelcomeMessage: part(r.Welcome.value.Text),
	}
	if out == (provider.Referral{}) {
		return nil
	}
	return &out
}

func part(t text) *string { return kernel.TextOrNil(clip(string(t), maxReferral)) }

// productContent is the catalog item that a customer asks about.
type productContent struct {
	CatalogID  text `json:"catalog_id"`
	RetailerID text `json:"product_retailer_id"`
}

func (c productContent) read() *provider.Product {
	if c.CatalogID == "" && c.RetailerID == "" {
		return nil
	}
	return &provider.Product{CatalogID: clip(string(c.CatalogID), 256), ProductRetailerID: clip(string(c.RetailerID), 256)}
}
